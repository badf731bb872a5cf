/**
 * Finds rows of a run. Chunks that a digest rules out are not read; the others a few at a time, so
 * that the page goes on serving, and no longer than a person waits: the next page goes on from
 * there. A visitor has one search at a time: a new one ends the one before.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { knownFields, publicColumns } from '../../delivery/service/operations.ts';
import { chunksAround, readChunks } from '../../engine/ledger/run-view.ts';
import { batchesOf } from '../../lib/batches.ts';
import { UsageError } from '../../lib/usage-error.ts';
import type { Visitor } from '../../model/ask.ts';
import type { Outcome } from '../../model/outcome.ts';
import { chunksOf, type Run, rowsBefore } from '../../model/run.ts';
import { messageOf } from '../../model/sentence.ts';
import { type Settlement, wasRefused } from '../../model/settlement.ts';
import { isTable } from '../../model/source.ts';
import { spaceOf } from '../../operations/operations.ts';
import { causeAmong } from '../../runs/report/causes.ts';
import type { Cause, Digest } from '../../runs/report/digest.ts';
import { areWithin } from '../../runs/report/places.ts';
import { reasonOf, unsuccessfulIn } from '../../runs/report/remainder.ts';
import { resultsFormat } from '../../runs/report/results.ts';
import type { Session } from '../../session.ts';
import { digestAtHand, isOf } from './digests.ts';
import { type KnownKey, knownIn, openRunRows, type RunRows, rowAt, rowNumber, rowsUpTo } from './run-rows.ts';

const ROWS_A_PAGE = 50;
const CHUNKS_AT_ONCE = 16;
/** As long as a person waits for an answer. */
const LONGEST_MS = 5_000;
/** Bodies may have 64 KiB each. */
const BODIES_AT_ONCE = 20;

export type RowsAsked = {
  readonly run: string;
  /** `null`: any. */
  readonly outcome: Outcome | null;
  /** The id of a cause; `null`: any. */
  readonly cause: string | null;
  /** Empty: none. */
  readonly text: string;
  /** Only rows behind this one. */
  readonly after: number;
  /** The text is searched for even where it is a number or a key. */
  readonly isLiteral: boolean;
};

/** `settlement`: `null`: no outcome yet. */
export type ListedRow = {
  readonly row: number;
  readonly settlement: Settlement | null;
  readonly words: string;
};

export type Search = RunRows & {
  readonly asked: RowsAsked;
  readonly digest: Digest | null;
  /** `null`: rows of any cause. */
  readonly cause: Cause | null;
  readonly visitor: Visitor;
};

type SearchOptions = {
  readonly asked: RowsAsked;
  readonly visitor: Visitor;
  /** The run's causes; of a running one, those so far. */
  digestOf(run: Run): Promise<Digest | null>;
};

/** `null`: there is no such run. */
export async function openSearch(
  session: Pick<Session, 'ledger'>,
  { asked, visitor, digestOf }: SearchOptions,
): Promise<Search | null> {
  const open = await openRunRows(session, asked.run);
  if (open === null) return null;
  const digest = await digestOf(open.run);
  const cause = digest?.causes.find(({ id }) => id === asked.cause) ?? null;
  return { ...open, asked, digest, cause, visitor };
}

/** A UsageError where no such cause is known: of the report, or of who looks before it is there. */
export async function rowsOfCause(
  session: Pick<Session, 'ledger' | 'env'>,
  { id }: Run,
  cause: string,
  digestOf: SearchOptions['digestOf'] = (run) => digestAtHand(session, run),
): Promise<ReadonlySet<number>> {
  const search = await openSearch(session, {
    asked: { run: id, outcome: null, cause, text: '', isLiteral: true, after: 0 },
    visitor: { name: '', role: 'operator' },
    digestOf,
  });
  if (search?.cause == null)
    throw new UsageError(
      `The report of run ${id} does not know that cause: expected a run that is over, and a cause that it shows. Load its page again.`,
    );
  const rows = new Set<number>();
  for await (const found of matchingRows(search)) for (const { row } of found.rows) rows.add(row);
  return rows;
}

/** The row with that number or known key; `null`: the text is neither. */
export async function lookDirectly(search: Search) {
  const { asked, run } = search;
  const keys = await keysNamed(search);
  const number = rowNumber(asked.text);
  const own = keys.flatMap((key) => (key.run === run.id ? [key.row] : []));
  const rows = await rowsNumbered(search, new Set(number === null ? own : [number, ...own]));
  return rows.length === 0 && keys.length === 0 ? null : { rows, keys };
}

async function rowsNumbered(search: Search, rows: ReadonlySet<number>): Promise<ListedRow[]> {
  const { redis, keys, run } = search;
  const found: Settlement[] = [];
  for await (const { settlements } of chunksAround(redis, keys, run, rows))
    found.push(...settlements.filter(({ row }) => rows.has(row)));
  const settled = new Set(found.map(({ row }) => row));
  const open = [...rows].filter((row) => !settled.has(row) && rowAt(search, rowsUpTo(search, row)) === row);
  const listed = await withWords(search, found);
  const others = open.map((row) => ({ row, settlement: null, words: 'has no outcome yet' }));
  return [...listed, ...others].sort((a, b) => a.row - b.row);
}

/** Viewers get keys of this run alone: they could find out any key by trying. */
async function keysNamed(search: Search): Promise<KnownKey[]> {
  const { run, asked, visitor } = search;
  const spaces = new Set([spaceOf(run.operation) ?? 'subclient', 'subclient', 'counterparty']);
  const found = await knownIn(search, asked.text, spaces);
  return found.filter((key) => visitor.role === 'operator' || key.run === run.id);
}

/** `next`: the row behind which the list goes on; `stoppedAt`: the time was up there. */
export async function nextRows(search: Search, isOver: () => boolean, now: () => number) {
  const until = now() + LONGEST_MS;
  const rows: Settlement[] = [];
  let stoppedAt: number | null = null;
  for await (const found of matchingRows(search)) {
    rows.push(...found.rows);
    if (rows.length > ROWS_A_PAGE) break;
    stoppedAt = found.upTo;
    if (isOver() || now() > until) break;
    stoppedAt = null;
  }
  const page = rows.slice(0, ROWS_A_PAGE);
  const next = rows.length > ROWS_A_PAGE ? (page.at(-1)?.row ?? null) : null;
  return { rows: await withWords(search, page), next, stoppedAt: next === null ? stoppedAt : null };
}

type Found = { readonly rows: readonly Settlement[]; readonly upTo: number };

async function* matchingRows(search: Search): AsyncGenerator<Found, void, undefined> {
  const { redis, k, run } = search;
  for (const numbers of batchesOf(chunksToRead(search), CHUNKS_AT_ONCE)) {
    const chunks = await readChunks(redis, k, numbers);
    const rows = chunks.flatMap(({ settlements }) => settlements.filter((one) => isAsked(one, search)));
    const place = Math.min(run.rows, rowsBefore(run, (numbers.at(-1) ?? 0) + 1));
    yield { rows: await ofCause(search, rows), upTo: rowAt(search, place) ?? place };
    await turn();
  }
}

/** The chunks that may have such rows behind `after`. */
function chunksToRead(search: Search): readonly number[] {
  const { run, asked, digest, cause } = search;
  if (asked.cause !== null && cause === null) return [];
  const { rows } = run;
  const before = rowsUpTo(search, asked.after);
  // A digest that is not complete rules no chunk out.
  const whole = digest !== null && isOf(digest, run) ? digest : null;
  const ofOutcome = asked.outcome === null ? null : (whole?.where[asked.outcome] ?? []);
  const where = whole === null ? null : (cause?.where ?? ofOutcome);
  const chunks = Array.from({ length: chunksOf(run) }, (_, i) => i + 1);
  return chunks.filter((chunk) => {
    const end = Math.min(rows, rowsBefore(run, chunk + 1));
    if (end <= before) return false;
    const [first, last] = [rowAt(search, rowsBefore(run, chunk) + 1), rowAt(search, end)];
    return where === null || first === null || last === null || areWithin(where, { first, last, rows });
  });
}

function isAsked(settlement: Settlement, { asked, cause }: Search): boolean {
  const { row, outcome, key, id, code } = settlement;
  if (row <= asked.after) return false;
  if (asked.outcome !== null && outcome !== asked.outcome) return false;
  if (cause !== null && (outcome !== cause.outcome || code !== cause.code)) return false;
  if (asked.text === '') return true;
  return [key, id, code, messageOf(settlement)].some((one) => one.includes(asked.text));
}

async function ofCause(search: Search, rows: readonly Settlement[]): Promise<readonly Settlement[]> {
  const { cause, digest, run, view, definition } = search;
  if (cause === null || digest === null) return rows;
  const ids = new Set(digest.causes.map(({ id }) => id));
  const { columns } = run.source;
  const fields = knownFields(run.operation);
  const terms = { columns, fields, publicColumns: publicColumns(definition, columns) };
  const found: Settlement[] = [];
  for await (const batch of unsuccessfulIn(rows, view)) {
    const own = batch.filter((row) => causeAmong(row, ids, terms) === cause.id);
    found.push(...own.map(({ settlement }) => settlement));
  }
  return found;
}

/** The service's own words are for operators. */
async function withWords({ visitor, view }: Search, rows: readonly Settlement[]): Promise<ListedRow[]> {
  const listed: ListedRow[] = [];
  for (const batch of batchesOf(rows, BODIES_AT_ONCE)) {
    const refused = visitor.role === 'operator' ? batch.filter(wasRefused) : [];
    const bodies = await view.bodies(refused.map(({ row }) => row));
    for (const settlement of batch) {
      const { row } = settlement;
      listed.push({ row, settlement, words: reasonOf({ settlement, body: bodies.get(row) ?? null }) });
    }
  }
  return listed;
}

/** As in results.csv; ends early where the visitor starts another search. */
export async function* csvOf(
  search: Search,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { source } = search.run;
  const extension = isTable(source) ? 'csv' : 'ndjson';
  const { header, lines } = resultsFormat(source, { ...search.run, extension });
  yield Buffer.from(header);
  for await (const { rows } of matchingRows(search)) {
    if (signal.aborted) throw new Error('the same visitor has asked for another list');
    yield Buffer.from(lines(rows));
  }
}
