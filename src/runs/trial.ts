/**
 * A changed definition over files that were loaded: which rows would pass that were invalid, which
 * would be refused that were sent, and which records stand at the service as the definition would
 * no longer send them. Nothing is called, and nothing in the ledger changes.
 */
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { JobDefinition } from '../config/job-definition.ts';
import { mappingFor, readFormatOf } from '../delivery/run-mapping.ts';
import { SANDBOX_TARGET } from '../delivery/target.ts';
import { createRunView } from '../engine/ledger/run-view.ts';
import { UsageError } from '../lib/usage-error.ts';
import { flattenRecord } from '../model/json-record.ts';
import type { Mapped, Mapping } from '../model/mapping.ts';
import { OUTCOMES, type Outcome, wasAccepted } from '../model/outcome.ts';
import type { Row } from '../model/row.ts';
import type { Run } from '../model/run.ts';
import { issueWords, withoutValues } from '../model/sentence.ts';
import { readChunks } from '../readers/intake/chunks.ts';
import { hashFile, surveyFile } from '../readers/intake/survey.ts';
import type { Ledger } from '../session.ts';
import { definitionOf, latestRuns } from './status.ts';

const RUNS_LOOKED_THROUGH = 1_000;

/**
 * Files of a job that were sent, the newest first; rehearsed ones, where none was. No re-runs, none
 * that was purged.
 */
export async function runsToTry(job: string, last: number, ledger: Ledger): Promise<readonly Run[]> {
  const listed = await latestRuns(ledger, RUNS_LOOKED_THROUGH);
  const meant = listed.map(({ run }) => run).filter((run) => run.job === job && isDelivery(run));
  const atService = meant.filter(({ target }) => target !== SANDBOX_TARGET);
  const tried = atService.length > 0 ? atService : meant;
  return tried.slice(0, last);
}

function isDelivery({ parent, purged, rows, startedAt }: Run): boolean {
  const isSent = startedAt !== null && rows > 0;
  return isSent && parent === null && purged === undefined;
}

/** A field of a record that stands otherwise; `null`: it has none. */
type Difference = {
  readonly row: number;
  readonly line: number;
  readonly field: string;
  readonly before: string | null;
  readonly after: string | null;
};

/** A row that was sent, and would be no more. */
type Refused = {
  readonly row: number;
  readonly line: number;
  readonly why: string;
};

export type Tried = {
  readonly run: string;
  readonly file: string;
  readonly rows: number;
  /** Were invalid, and would be sent. */
  readonly pass: { readonly rows: number; readonly examples: readonly number[] };
  /** Were sent or skipped, and would be invalid. */
  readonly refused: { readonly rows: number; readonly examples: readonly Refused[] };
  /** Stand at the service, and would be sent otherwise. */
  readonly differ: {
    readonly rows: number;
    /** Records by field, the most first. */
    readonly fields: readonly { readonly field: string; readonly rows: number }[];
    readonly examples: readonly Difference[];
  };
  readonly same: number;
  /** Invalid as before, not sent, or with no record at the service. */
  readonly others: number;
};

export type NotTried = { readonly run: string; readonly file: string; readonly why: string };

const EXAMPLES = 3;

type Trying = {
  readonly ledger: Ledger;
  /** Where its file may lie. */
  readonly places: readonly string[];
};

/** A run whose file is gone, or is another by now, is not tried. */
export async function tryOn(
  run: Run,
  definition: JobDefinition,
  { ledger, places }: Trying,
): Promise<Tried | NotTried> {
  const named = { run: run.id, file: basename(run.file) };
  const path = await unchangedFile(run, places);
  if (path === null) return { ...named, why: 'its file is gone, or is another by now' };

  const before = await definitionOf(run, ledger);
  if (before.group !== undefined || definition.group !== undefined)
    return { ...named, why: 'several rows of it are one request (`group`), which is not compared' };

  const outcomes = await outcomesOf(run, ledger);
  const { source } = await surveyFile(path, readFormatOf(definition));
  const as = {
    before: { definition: before, source: run.source, mapping: mappingFor(before, run.source) },
    after: { definition, source, mapping: mappingFor(definition, source) },
  };
  const tally = createTally();
  const rows = [rowsOf(path, as.before), rowsOf(path, as.after)] as const;
  for await (const [row, other] of pairs(...rows)) {
    const outcome = outcomes(row.row);
    if (outcome !== null) tally.see({ row, outcome, ...mappedTwice(row, other, as) });
  }
  const found = tally.found();
  const told = found.pass.rows + found.refused.rows + found.differ.rows + found.same;
  return { ...named, rows: run.rows, ...found, others: run.rows - told };
}

/** `null`: it is gone, or another by now. */
export async function unchangedFile({ sha256 }: Run, places: readonly string[]): Promise<string | null> {
  for (const path of places) if (existsSync(path) && (await hashFile(path)) === sha256) return path;
  return null;
}

type Reading = {
  readonly definition: JobDefinition;
  readonly source: Run['source'];
  readonly mapping: Mapping;
};

async function* rowsOf(path: string, { source, definition }: Reading): AsyncGenerator<Row> {
  for await (const { rows } of readChunks(path, source, readFormatOf(definition))) yield* rows;
}

/** Another reading of a file may cut it into other rows: it is compared as far as both go. */
async function* pairs(
  all: AsyncGenerator<Row>,
  others: AsyncGenerator<Row>,
): AsyncGenerator<readonly [Row, Row]> {
  for await (const row of all) {
    const other = await others.next();
    if (other.done === true) return;
    yield [row, other.value];
  }
}

/** By row; `null`: it has none yet. A byte for each, of however many rows. */
async function outcomesOf(run: Run, ledger: Ledger): Promise<(row: number) => Outcome | null> {
  const { keys } = ledger.of(run.target);
  const known = new Uint8Array(run.rows + 1);
  for await (const { settlements } of createRunView(ledger.redis, keys, run).chunks())
    for (const { row, outcome } of settlements) known[row] = 1 + OUTCOMES.indexOf(outcome);
  return (row) => OUTCOMES[(known[row] ?? 0) - 1] ?? null;
}

type Both = { readonly before: Mapped; readonly after: Mapped };

function mappedTwice(
  row: Row,
  other: Row,
  { before, after }: Readonly<Record<'before' | 'after', Reading>>,
): Both & { readonly keys: readonly [string | null, string | null] } {
  return {
    before: before.mapping.map(row),
    after: after.mapping.map(other),
    keys: [before.mapping.keyOf(row), after.mapping.keyOf(other)],
  };
}

type Seen = Both & {
  readonly row: Row;
  readonly outcome: Outcome;
  readonly keys: readonly [string | null, string | null];
};

/** What the changed definition makes of a row; `null`: it says nothing of one that ended so. */
type Verdict =
  | { readonly kind: 'passes' }
  | { readonly kind: 'refused'; readonly refused: Refused }
  | { readonly kind: 'differs'; readonly differences: readonly Difference[] }
  | { readonly kind: 'same' };

function verdictOf(seen: Seen): Verdict | null {
  const { row, outcome, before, after } = seen;
  if (after.kind === 'issues') {
    const words = after.issues.map((issue) => issueWords(withoutValues(issue)));
    const refused = { row: row.row, line: row.line, why: words.join('; ') };
    return wasSent(outcome) ? { kind: 'refused', refused } : null;
  }
  if (before.kind === 'issues') return outcome === 'invalid' ? { kind: 'passes' } : null;
  // A skipped row's record stands there by an earlier run.
  if (!wasAccepted(outcome) && outcome !== 'skipped') return null;
  const differences = differencesOf(seen);
  return differences.length === 0 ? { kind: 'same' } : { kind: 'differs', differences };
}

function createTally() {
  const pass = { rows: 0, examples: [] as number[] };
  const refused = { rows: 0, examples: [] as Refused[] };
  const differ = { rows: 0, fields: new Map<string, number>(), examples: [] as Difference[] };
  let same = 0;

  const countFields = (differences: readonly Difference[]) => {
    for (const { field } of differences) {
      const rows = differ.fields.get(field) ?? 0;
      differ.fields.set(field, rows + 1);
    }
    // Rather of a field that has no example yet.
    const isFirst = ({ field }: Difference) => differ.fields.get(field) === 1;
    keep(differ, differences.find(isFirst) ?? differences[0]);
  };

  return {
    see(seen: Seen): void {
      const verdict = verdictOf(seen);
      if (verdict?.kind === 'passes') keep(pass, seen.row.row);
      if (verdict?.kind === 'refused') keep(refused, verdict.refused);
      if (verdict?.kind === 'differs') countFields(verdict.differences);
      if (verdict?.kind === 'same') same += 1;
    },
    found() {
      const fields = [...differ.fields].map(([field, rows]) => ({ field, rows }));
      const most = fields.toSorted((a, b) => b.rows - a.rows);
      return { pass, refused, differ: { ...differ, fields: most }, same };
    },
  };
}

type Counted<Example> = { rows: number; readonly examples: Example[] };

function keep<Example>(counted: Counted<Example>, example: Example | undefined): void {
  counted.rows += 1;
  const hasRoom = counted.examples.length < EXAMPLES;
  if (hasRoom && example !== undefined) counted.examples.push(example);
}

function wasSent(outcome: Outcome): boolean {
  return outcome !== 'invalid' && outcome !== 'cancelled';
}

/** Stands for the row's key among the fields. */
const KEY_FIELD = '(key)';

function differencesOf({ row: { row, line }, before, after, keys }: Seen): Difference[] {
  const [was, is] = [leavesOf(before), leavesOf(after)];
  const fields = [...new Set([...was.keys(), ...is.keys()])];
  const found = fields.map((field) => ({
    row,
    line,
    field,
    before: was.get(field) ?? null,
    after: is.get(field) ?? null,
  }));
  const ofKey = { row, line, field: KEY_FIELD, before: keys[0], after: keys[1] };
  return [ofKey, ...found].filter((one) => one.before !== one.after);
}

/** What a row refers to stands as the key that it names. */
function leavesOf(mapped: Mapped): ReadonlyMap<string, string> {
  if (mapped.kind === 'issues') return new Map();
  const { body, references, pathId } = mapped;
  const leaves = new Map<string, string>();
  for (const [field, value] of flattenRecord(body)) leaves.set(field, JSON.stringify(value));
  for (const { path, space, key } of references) leaves.set(path.join('.'), `${space} ${key}`);
  if (pathId !== null) leaves.set('(id)', pathId);
  return leaves;
}

/** A UsageError where there is nothing to try. */
export function assertTried(job: string, runs: readonly Run[]): void {
  if (runs.length > 0) return;
  throw new UsageError(
    `No file of the job "${job}" was loaded: expected the name of a job that \`onboard runs\` lists.`,
  );
}
