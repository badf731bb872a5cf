/**
 * Finds rows of a run for the page. Chunks that a digest rules out are not read; of all others a few at a time, so that the page
 * goes on serving, and no longer than a person waits: who looks for more goes on from there. A visitor has one search at a time:
 * a new one ends the one before.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { chunksAround, readChunks } from '../ledger/run-view.ts';
import { batchesOf } from '../lib/batches.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Visitor } from '../model/ask.ts';
import { spaceOf } from '../model/operation.ts';
import { chunksOf, type Run, rowsBefore } from '../model/run.ts';
import { messageOf } from '../model/sentence.ts';
import type { Settlement } from '../model/settlement.ts';
import { causeAmong } from '../report/causes.ts';
import { csvText } from '../report/csv-text.ts';
import type { Cause, Digest } from '../report/digest.ts';
import { chunksIn } from '../report/places.ts';
import { type RemainderRow, serviceMessage } from '../report/remainder.ts';
import { knownFields } from '../service/operations.ts';
import { type KnownKey, type ListedRow, type RowsAsked, type RowsPart, rowNumber } from '../web/rows.tsx';
import type { Desk } from './desk.ts';
import { digestAtHand } from './digest-at-hand.ts';
import { headOf, keyState, knownKey, openRunRows, type RunRows, rowAt, rowsUpTo } from './run-rows.ts';

const ROWS_A_PAGE = 50;
const CHUNKS_AT_ONCE = 16;
/** As long as a person waits for an answer. */
const LONGEST_MS = 5_000;
/** Bodies may have 64 KiB each. */
const BODIES_AT_ONCE = 20;

type RowsDesk = Pick<Desk, 'ledger' | 'env' | 'clock'>;
type SearchDesk = RowsDesk & { readonly digestOf: (run: Run) => Promise<Digest | null> };

/** A list that was asked for, and what it is made with. */
type Search = RunRows & {
  readonly asked: RowsAsked;
  readonly digest: Digest | null;
  /** `null`: rows of any cause. */
  readonly cause: Cause | null;
  readonly visitor: Visitor;
};

/** Rows of some chunks that are as asked for, and how far that was. */
type Found = { readonly rows: readonly RemainderRow[]; readonly upTo: number };

/** `digestOf`: what is known of a run's causes, of one that goes on those so far. */
export function createRowsPart(
  desk: RowsDesk,
  digestOf: SearchDesk['digestOf'] = (run) => digestAtHand(desk, run),
): RowsPart {
  const searching = createTurns();
  return {
    async rows(asked, visitor) {
      const search = await openSearch({ ...desk, digestOf }, asked, visitor);
      if (search === null) return null;
      const head = { run: headOf(search.run), causes: causesOf(search) };
      const direct = asked.text === '' || asked.isLiteral ? null : await lookDirectly(search);
      if (direct !== null) return { ...head, ...direct, next: null, stoppedAt: null, isDirect: true };
      const mine = searching(visitor.name);
      const listed = await firstPage(search, () => mine.aborted, desk.clock.now);
      return { ...head, ...listed, keys: [], isDirect: false };
    },
    async rowsFile(asked, visitor) {
      const search = await openSearch({ ...desk, digestOf }, { ...asked, after: 0 }, visitor);
      return search === null ? null : csvOf(search, searching(visitor.name));
    },
  };
}

/** The rows of one cause; a UsageError where the run's report does not know the cause. */
export async function rowsOfCause(desk: RowsDesk, { id }: Run, cause: string): Promise<ReadonlySet<number>> {
  const asked = { run: id, outcome: null, cause, text: '', isLiteral: true, after: 0 };
  const search = await openSearch({ ...desk, digestOf: (run) => digestAtHand(desk, run) }, asked, {
    name: '',
    role: 'operator',
  });
  if (search?.cause == null)
    throw new UsageError(
      `The report of run ${id} does not know that cause: expected a run that is over, and a cause that it shows. Load its page again.`,
    );
  const rows = new Set<number>();
  for await (const found of matchingRows(search))
    for (const { settlement } of found.rows) rows.add(settlement.row);
  return rows;
}

/** Answers a signal that fires once the same name asks again. */
function createTurns(): (name: string) => AbortSignal {
  const under = new Map<string, AbortController>();
  return (name) => {
    under.get(name)?.abort();
    const own = new AbortController();
    under.set(name, own);
    return own.signal;
  };
}

async function openSearch(desk: SearchDesk, asked: RowsAsked, visitor: Visitor): Promise<Search | null> {
  const open = await openRunRows(desk, asked.run);
  if (open === null) return null;
  const digest = await desk.digestOf(open.run);
  const cause = digest?.causes.find(({ id }) => id === asked.cause) ?? null;
  return { ...open, asked, digest, cause, visitor };
}

const CAUSES_OFFERED = 50;
const CAUSE_CHARACTERS = 80;

function causesOf({ digest, cause }: Search) {
  const first = digest?.causes.slice(0, CAUSES_OFFERED) ?? [];
  const offered = cause === null || first.includes(cause) ? first : [...first, cause];
  return offered.map(({ id, text, code, count }) => {
    const words = text || code;
    return {
      id,
      count,
      words: words.length > CAUSE_CHARACTERS ? `${words.slice(0, CAUSE_CHARACTERS)}…` : words,
    };
  });
}

/** The row with the number, or that the ledger knows the key of; `null`: the text is neither. */
async function lookDirectly(search: Search) {
  const { asked, run } = search;
  const keys = await keysNamed(search);
  const number = rowNumber(asked.text);
  const own = keys.flatMap((key) => (key.run === run.id ? [key.row] : []));
  const rows = new Set(number === null ? own : [number, ...own]);
  const found = await rowsNumbered(search, rows);
  return found.length === 0 && keys.length === 0 ? null : { rows: found, keys };
}

async function rowsNumbered(search: Search, rows: ReadonlySet<number>): Promise<ListedRow[]> {
  const { redis, keys, run } = search;
  const found: Settlement[] = [];
  for await (const { settlements } of chunksAround(redis, keys, run, rows))
    found.push(...settlements.filter(({ row }) => rows.has(row)));
  const settled = new Set(found.map(({ row }) => row));
  const open = [...rows].filter((row) => !settled.has(row) && rowAt(search, rowsUpTo(search, row)) === row);
  const listed = await listedRows(
    search,
    found.map((settlement) => ({ settlement, source: null, body: null })),
  );
  return [...listed, ...open.map(openRow)].sort((a, b) => a.row - b.row);
}

function openRow(row: number): ListedRow {
  return { row, line: 0, key: '', outcome: 'open', id: '', code: '', words: 'has no outcome yet' };
}

/** To a viewer of this run alone: by trying keys they would learn of any. */
async function keysNamed(search: Search): Promise<KnownKey[]> {
  const { run, asked, visitor } = search;
  const spaces = new Set([spaceOf(run.operation) ?? 'subclient', 'subclient', 'counterparty']);
  const found = await Promise.all(
    [...spaces].map(async (space) => {
      return knownKey(space, await keyState(search, space, asked.text));
    }),
  );
  return found.flat().filter((key) => visitor.role === 'operator' || key.run === run.id);
}

/** The next rows of the list, as far as time allows. */
async function firstPage(search: Search, isOver: () => boolean, now: () => number) {
  const until = now() + LONGEST_MS;
  const rows: RemainderRow[] = [];
  let stoppedAt: number | null = null;
  for await (const found of matchingRows(search)) {
    rows.push(...found.rows);
    if (rows.length > ROWS_A_PAGE) break;
    stoppedAt = found.upTo;
    if (isOver() || now() > until) break;
    stoppedAt = null;
  }
  const page = rows.slice(0, ROWS_A_PAGE);
  const next = rows.length > ROWS_A_PAGE ? (page.at(-1)?.settlement.row ?? null) : null;
  return { rows: await listedRows(search, page), next, stoppedAt: next === null ? stoppedAt : null };
}

/** Rows as asked for in their order, a few chunks at a time. */
async function* matchingRows(search: Search): AsyncGenerator<Found, void, undefined> {
  const { redis, k, run, asked } = search;
  const text = asked.text || (asked.outcome ?? search.cause?.outcome ?? '');
  for (const numbers of batchesOf(chunksToRead(search), CHUNKS_AT_ONCE)) {
    const chunks = await readChunks(redis, k, numbers, text);
    const rows = await ofCause(
      search,
      chunks.flatMap(({ settlements }) => settlements.filter((one) => isAsked(one, search))),
    );
    const place = Math.min(run.rows, rowsBefore(run, (numbers.at(-1) ?? 0) + 1));
    yield { rows, upTo: rowAt(search, place) ?? place };
    await turn();
  }
}

/** The chunks that may have such rows behind the one that was named. */
function chunksToRead(search: Search): readonly number[] {
  const { run, asked, digest, cause } = search;
  if (asked.cause !== null && cause === null) return [];
  const chunks = chunksOf(run);
  const before = rowsUpTo(search, asked.after);
  let first = 1;
  while (first < chunks && rowsBefore(run, first + 1) <= before) first += 1;
  // A digest of rows so far rules no chunk out.
  const isWhole = digest !== null && isDeepStrictEqual(digest.outcomes, run.outcomes);
  const bits = cause?.chunks ?? (asked.outcome === null ? null : (digest?.chunks[asked.outcome] ?? ''));
  if (isWhole && bits !== null) return [...chunksIn(bits, chunks, first)];
  return Array.from({ length: Math.max(0, chunks - first + 1) }, (_, i) => first + i);
}

function isAsked(settlement: Settlement, { asked, cause }: Search): boolean {
  const { row, outcome, key, id, code } = settlement;
  if (row <= asked.after) return false;
  if (asked.outcome !== null && outcome !== asked.outcome) return false;
  if (cause !== null && (outcome !== cause.outcome || code !== cause.code)) return false;
  if (asked.text === '') return true;
  return [key, id, code, messageOf(settlement)].some((one) => one.includes(asked.text));
}

async function ofCause(search: Search, rows: readonly Settlement[]): Promise<readonly RemainderRow[]> {
  const { cause, digest, run } = search;
  if (cause === null || digest === null)
    return rows.map((settlement) => ({ settlement, source: null, body: null }));
  const ids = new Set(digest.causes.map(({ id }) => id));
  const terms = { columns: run.source.columns, fields: knownFields(run.operation) };
  const found: RemainderRow[] = [];
  for (const batch of batchesOf(rows, BODIES_AT_ONCE)) {
    const whole = await withSources(search, batch);
    found.push(...whole.filter((row) => causeAmong(row, ids, terms) === cause.id));
  }
  return found;
}

async function withSources({ view }: Search, batch: readonly Settlement[]): Promise<readonly RemainderRow[]> {
  const numbers = batch.map(({ row }) => row);
  const [sources, bodies] = await Promise.all([view.sources(numbers), view.bodies(numbers)]);
  return batch.map((settlement) => ({
    settlement,
    source: sources.get(settlement.row) ?? null,
    body: bodies.get(settlement.row) ?? null,
  }));
}

/** The rows as the visitor may see them: the service's own words are for operators. */
async function listedRows(search: Search, rows: readonly RemainderRow[]): Promise<ListedRow[]> {
  const { visitor, view } = search;
  const listed: ListedRow[] = [];
  for (const batch of batchesOf(rows, BODIES_AT_ONCE)) {
    const refused = batch.flatMap(({ settlement: s, body }) =>
      s.outcome === 'rejected' && body === null ? [s.row] : [],
    );
    const bodies = visitor.role === 'operator' ? await view.bodies(refused) : null;
    for (const { settlement, body } of batch) {
      const { row, line, key, outcome, id, code } = settlement;
      const said = visitor.role === 'operator' ? (body ?? bodies?.get(row) ?? null) : null;
      const words = (said === null ? '' : serviceMessage(said.text)) || messageOf(settlement);
      listed.push({ row, line, key, outcome, id, code, words });
    }
  }
  return listed;
}

const DIALECT = { delimiter: ',', quote: '"' };
const COLUMNS = ['row', 'line', 'key', 'outcome', 'id', 'code', 'message'] as const;

/** Ends early where the same visitor asks for something else. */
async function* csvOf(search: Search, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
  yield Buffer.from(csvText([COLUMNS], DIALECT));
  for await (const { rows } of matchingRows(search)) {
    if (signal.aborted) throw new Error('the same visitor has asked for another list');
    if (rows.length === 0) continue;
    const listed = await listedRows(search, rows);
    const lines = listed.map(({ row, line, key, outcome, id, code, words }) => [
      String(row),
      line === 0 ? '' : String(line),
      key,
      outcome,
      id,
      code,
      words,
    ]);
    yield Buffer.from(csvText(lines, DIALECT));
  }
}
