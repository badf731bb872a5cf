/**
 * What a file's rows were before it is loaded: which open rows of earlier runs a report file's rows
 * stand for, and which have the key of a row that is written off. Whatever else such a file says of
 * its rows is told; for rows in doubt, on their way or written off it is refused.
 */
import { type JobDefinition, operationOf } from '../config/job-definition.ts';
import { mappingFor, readFormatOf } from '../delivery/run-mapping.ts';
import { type Accounts, isCorrectable, isEnded, once, openAccounts } from '../engine/ledger/account.ts';
import { formAt } from '../engine/ledger/keys.ts';
import { folderDigest, readTags, type TagOf } from '../engine/ledger/reply-tags.ts';
import type { NewRun } from '../engine/ledger/run-record.ts';
import type { RunStore } from '../engine/ledger/run-store.ts';
import { createRunView } from '../engine/ledger/run-view.ts';
import { numberShown } from '../lib/terminal.ts';
import type { Standing } from '../model/account.ts';
import type { KeptIssue } from '../model/issue.ts';
import { flattenRecord, parseRecord } from '../model/json-record.ts';
import type { Row } from '../model/row.ts';
import type { LedgerView } from '../model/settlement.ts';
import {
  type FileFacts,
  isTable,
  type Origins,
  REPORT_COLUMN_PREFIX,
  REPORT_MEMBER,
  type SourceInfo,
} from '../model/source.ts';
import { spaceOf } from '../operations/operations.ts';
import { readChunks } from '../readers/intake/chunks.ts';
import { type Origin, originsIn } from '../readers/intake/origins.ts';
import { foldName } from '../readers/mapping/request-field.ts';
import type { Ledger } from '../session.ts';
import { createFileIdentify } from './identities.ts';

export type Loading = {
  readonly file: Pick<FileFacts, 'path' | 'source' | 'sha256' | 'namesRows'>;
  readonly definition: JobDefinition;
  readonly target: string;
  /** As `NewRun` has it; left out: an operator loads the file. */
  readonly from?: string | undefined;
};

type Found = {
  /** Left out: the file's rows name none. */
  readonly origins?: Exclude<NewRun['origins'], undefined>;
  /** For people. */
  readonly notes: readonly string[];
  /** Why the file can't be loaded; `null`: it can. */
  readonly refused: readonly string[] | null;
};

/**
 * By row the runs that it comes from, as a correction or in a rerun, and those that these rows came
 * from before.
 */
export async function lineageOf(origins: Origins, store: Pick<RunStore, 'get'>) {
  const byRow = new Map<number, ReadonlySet<string>>();
  for (const [run, pairs] of origins) {
    const lineage = await runsBefore(run, store);
    for (const [row] of pairs) byRow.set(row, lineage);
  }
  return (row: number): ReadonlySet<string> => byRow.get(row) ?? NONE;
}

/** The same, of a run that is about to be registered. */
export async function lineageOfNew({ rerunOf, origins }: NewRun, store: Pick<RunStore, 'get'>) {
  if (rerunOf === undefined) return lineageOf(origins?.origins ?? new Map(), store);
  const lineage = await runsBefore(rerunOf, store);
  return () => lineage;
}

const NONE: ReadonlySet<string> = new Set();

/** The lineage of rows that come from no run. */
export const NOWHERE = () => NONE;

/** With itself. Of several runs that one corrects, each counts for all of its rows. */
async function runsBefore(id: string, store: Pick<RunStore, 'get'>): Promise<ReadonlySet<string>> {
  const lineage = new Set([id]);
  for (const one of lineage) {
    const run = await store.get(one);
    for (const earlier of [run?.parent, ...Object.keys(run?.standsFor ?? {})])
      if (typeof earlier === 'string') lineage.add(earlier);
  }
  return lineage;
}

type Pair = readonly [row: number, from: number];

/** Reads the file once more where there may be anything to find. */
export async function findOrigins(loading: Loading, ledger: Ledger): Promise<Found> {
  const { file, definition, target } = loading;
  const { keys, store } = ledger.of(target);
  const latest = await store.latestTaker();
  const accounts = openAccounts(ledger.redis, keys);
  const returning = await openReturning(loading, accounts, ledger);
  if (file.namesRows !== true && returning === null) return { notes: [], refused: null };
  const taking = createTaking();
  const standingOf = createStandings(loading, accounts, ledger);
  for await (const { rows } of readChunks(file.path, file.source, readFormatOf(definition))) {
    const named = originsIn(rows, file.source);
    const standing = await Promise.all(named.map(standingOf));
    for (const [i, { row }] of named.entries()) taking.take(row, standing[i] ?? null);
    await returning?.see(rows);
  }
  const { origins, others, refused } = taking;
  return {
    ...(file.namesRows === true && { origins: { origins, latest } }),
    notes: [...noteOf(OTHERS, others), ...noteOf(RETURNING, returning?.found ?? [])],
    refused: refused.length === 0 ? null : [...refused.slice(0, ROWS_TOLD), REFUSED],
  };
}

const OTHERS =
  'By onboard_run and onboard_row these were rows of earlier runs, ' +
  'but none that is open for this job under the same key ' +
  '(without keys: with half of the cells), ' +
  'or of files from another folder, ' +
  'so they count as rows of this file';
const RETURNING =
  'These rows have the keys of rows that are written off; what of them is ' +
  'created counts as at the service, but for rows of a group';
const REFUSED = 'Take such rows out of the file, or wait. Nothing of it was sent.';
const ROWS_TOLD = 5;

function noteOf(words: string, rows: readonly string[]): string[] {
  const more = rows.length > ROWS_TOLD ? ` and ${numberShown(rows.length - ROWS_TOLD)} more` : '';
  return rows.length === 0 ? [] : [`${words}: ${rows.slice(0, ROWS_TOLD).join(', ')}${more}.`];
}

/** Each earlier row has one row that stands for it: the first. */
function createTaking() {
  const origins = new Map<string, Pair[]>();
  const taken = new Set<string>();
  const others: string[] = [];
  const refused: string[] = [];
  return {
    origins,
    others,
    refused,
    take({ row }: Row, standing: Standing | null): void {
      const place = `${standing?.run} ${standing?.row}`;
      if (standing === null || taken.has(place)) return void others.push(numberShown(row));
      taken.add(place);
      if (!isCorrectable(standing)) return void refused.push(whyNot(row, standing));
      const pairs = origins.get(standing.run) ?? [];
      origins.set(standing.run, pairs);
      pairs.push([row, standing.row]);
    },
  };
}

/** Where the open row stands last that a row names and is; `null`: there is none. */
function createStandings(loading: Loading, accounts: Accounts, ledger: Ledger) {
  const { file, definition, target } = loading;
  const { keys, store } = ledger.of(target);
  const mayName = createMayName(loading, ledger, accounts);
  const { keyOf } = mappingFor(definition, file.source);
  type EarlierRun = Awaited<ReturnType<typeof runOfJob>>;
  const runs = new Map<string, Promise<EarlierRun>>();
  async function runOfJob(id: string) {
    const [run, earlier] = await Promise.all([store.get(id), store.definition(id)]);
    if (run?.operation !== operationOf(definition)) return null;
    const view = createRunView(ledger.redis, keys, run);
    const column = definition.key === undefined ? undefined : earlier?.key;
    const misnamed = column === undefined ? null : await rowsMisnamed(view, column);
    return { view, misnamed, source: run.source, open: (await accounts.standOf(id)).open };
  }
  const isKnown = (row: Row, standing: Standing) =>
    formAt(keys, standing) === formAt(keys, { key: keyOf(row) ?? '' });
  const isHalfEqual = async ({ row, from }: Origin, { view, source }: NonNullable<EarlierRun>) => {
    const was = (await view.sources([from])).get(from);
    const [before, now] = [was && cellsOf(was, source), cellsOf(row, file.source)];
    return before !== undefined && 2 * before.filter((cell) => now.includes(cell)).length >= before.length;
  };
  return async (origin: Origin): Promise<Standing | null> => {
    const { row, run, from } = origin;
    const isNamed = from !== 0 && (await mayName(origin));
    const earlier = isNamed ? await once(runs, run, () => runOfJob(run)) : null;
    const standing = earlier?.open.get(from);
    if (!earlier || standing === undefined) return null;
    const { misnamed } = earlier;
    if (misnamed !== null && (misnamed.has(from) || isKnown(row, standing))) return standing;
    // Under another key it may still be the record that was perhaps created.
    const isLike = (misnamed === null || !isEnded(standing)) && (await isHalfEqual(origin, earlier));
    return isLike ? standing : null;
  };
}

/**
 * Whether a file may speak of a row. What a partner puts into an inbox must come to the folder that
 * the row's delivery came from, with the row's tag; files of a report have none.
 */
function createMayName({ file, target, from }: Loading, { redis, of }: Ledger, accounts: Accounts) {
  const { keys, store } = of(target);
  const { columns } = file.source;
  const isOfReport = !isTable(file.source) || columns.includes(`${REPORT_COLUMN_PREFIX}outcome`);
  const here = from === undefined ? null : folderDigest(from, keys);
  const folders = new Map<string, Promise<string>>();
  const tags = new Map<string, Promise<TagOf>>();
  return async ({ run, from: row, tag }: Origin): Promise<boolean> => {
    if (tag === '' && here === null) return true;
    const folder = await once(folders, run, () => folderOf(run, accounts, store));
    if (here !== null && folder !== here) return false;
    if (tag === '') return isOfReport;
    const tagOf = await once(tags, '', () => readTags(redis, keys));
    return tagOf(run, row, folder) === tag;
  };
}

/** Of the delivery that a run belongs to; `''`: none is known. */
export async function folderOf(
  run: string,
  accounts: Pick<Accounts, 'deliveryOf'>,
  store: Pick<RunStore, 'get'>,
): Promise<string> {
  if ((await store.get(run)) === null) return '';
  return (await store.get(await accounts.deliveryOf(run)))?.folder ?? '';
}

const OF_KEY = /key|^group_(?:apart|too_large)$/;

/** Rows whose issue was about their key: a correction may have another. */
async function rowsMisnamed(view: LedgerView, keyColumn: string): Promise<ReadonlySet<number>> {
  const rows = new Set<number>();
  const name = foldName(keyColumn);
  const isOfKey = ({ column }: KeptIssue) => column !== null && foldName(column) === name;
  for await (const { settlements } of view.chunks())
    for (const { row, line, key, keyDigest, code, issues } of settlements) {
      const isKeyless = key === '' && keyDigest === undefined && line > 0;
      if (isKeyless || OF_KEY.test(code) || issues.some(isOfKey)) rows.add(row);
    }
  return rows;
}

/** Filled ones, each with its column, without what a report adds. */
function cellsOf(row: Row, { columns }: SourceInfo): string[] {
  if (row.kind === 'unreadable') return [];
  const cells =
    row.kind === 'cells'
      ? row.cells.map((cell, i) => [columns[i] ?? '', cell] as const)
      : flattenRecord(parseRecord(row.text) ?? {});
  return [...cells].flatMap(([name, cell]) => {
    const isOfReport = name.startsWith(REPORT_COLUMN_PREFIX) || name.startsWith(REPORT_MEMBER);
    return isOfReport || cell === '' || cell === null ? [] : `${name} ${cell}`;
  });
}

function whyNot(row: number, { run, row: from, outcome, isWrittenOff }: Standing): string {
  const words = `row ${row} stands for row ${from} of run ${run}, which`;
  if (isWrittenOff) return `${words} is written off`;
  return outcome === 'pending'
    ? `${words} has no outcome yet: \`onboard status ${run}\` says what it waits for`
    : `${words} is in doubt: it may have been created, \`onboard resolve ${run} ${from} --created ID\` or \`--not-created\` settles it`;
}

/** Rows with the key of one that is written off; `null`: none is, in the job's space. */
async function openReturning(
  { file, definition, target }: Loading,
  accounts: Accounts,
  { redis, of }: Ledger,
) {
  const { keys } = of(target);
  const writtenOff = keys.writtenOff(spaceOf(operationOf(definition)) ?? '');
  if ((await redis.exists(writtenOff)) === 0) return null;
  const mapping = mappingFor(definition, file.source);
  const identify = createFileIdentify(file.sha256, { definition, mapping });
  const found: string[] = [];
  return {
    found,
    async see(rows: readonly Row[]): Promise<void> {
      const forms = rows.map((row) => formAt(keys, { key: identify(row)?.key ?? '' }));
      for (const [i, place] of (await redis.hmget(writtenOff, ...forms)).entries()) {
        const [run = '', from = ''] = place?.split(' ') ?? [];
        const standing = run === '' ? undefined : (await accounts.standOf(run)).open.get(Number(from));
        if (standing?.isWrittenOff === true)
          found.push(`${numberShown(rows[i]?.row ?? 0)} (row ${from} of run ${run})`);
      }
    },
  };
}
