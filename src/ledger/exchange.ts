/**
 * The exchange of those who send with the ledger: what became of rows, and the intents of the next, in one command of Redis and one write of
 * the journal. An intent, the durable sign that a row is about to be sent, is granted only when it is in Redis (so that another worker
 * sees it) and on this machine's disk (so that it survives a Redis that forgets), and withdrawn only where it is proven that nothing was
 * received. Whatever fails half-way is noted as withdrawn: a replay must never take what was not granted for something that was sent.
 */

import { z } from 'zod';
import { groupAdjacent } from '../lib/batches.ts';
import { messageOf } from '../lib/errors.ts';
import { passStage, type Stage } from '../lib/stage.ts';
import { inEpoch, type LedgerEpoch } from './epoch.ts';
import { fieldsPlace, identityPlace, type KeyPlace, type LedgerKeys } from './keys.ts';
import { EXCHANGE, WITHDRAW } from './lua/rows.ts';
import { intentMark, type SharedMark, sharedMark } from './mark.ts';
import { withExceptions } from './script.ts';
import { isUnsent, type SettledRow, type SettleEntry, settleArguments, settleEntry } from './settle-entry.ts';

/** What is asked for before a row is sent. */
export type Intent = {
  readonly chunk: number;
  readonly row: number;
  readonly mark: string;
  /** The mark of a dead worker that is taken over; `''`: the row must have none. */
  readonly expected: string;
  /** What the row's key is known by, to be restored with the intent; `null`: nothing. */
  readonly identity: { readonly space: string; readonly key: string } | null;
  /** The record whose fields are followed, what was known of them, and what stands for them until the answer is recorded; `null`: they aren't followed. */
  readonly fields: (KeyPlace & { readonly before: string; readonly own: string }) | null;
  /** The call may be repeated: it is sent also where a lost worker may have sent it. */
  readonly repeatable: boolean;
};

/** Rows of a chunk in hand that are asked for together: the first attempts of rows in their order. */
export type Range = {
  readonly chunk: number;
  readonly taker: string;
  /** How far the chunk's order had come when it was taken (`Taken.at`). */
  readonly seen: string;
  /** The row up to which this take has come; 0: it begins. */
  readonly from: number;
  readonly repeatable: boolean;
  /** The epoch in which the rows' keys were claimed: in a later one each claim has to be looked at. */
  readonly claimed: string;
  /** In order, and behind all that were asked for before. */
  readonly rows: readonly RangeRow[];
  /** Rows before the last of these that go another way, with what stands on them (UNSENT_MARK: nothing). */
  readonly apart: ReadonlyArray<readonly [row: number, mark: string]>;
};

/** What the row's key is known by, `null`: nothing. */
export type RangeRow = { readonly row: number; readonly identity: KeyPlace | null };

type Rows<T extends readonly unknown[]> = ReadonlyArray<T>;

/** What the ledger has this machine's disk remember of a run's rows. */
export type RowRecord =
  | {
      readonly kind: 'intended';
      readonly run: string;
      readonly rows: Rows<
        readonly [chunk: number, row: number, mark: string, bucket: string, digest: string]
      >;
    }
  | {
      readonly kind: 'withdrawn';
      readonly run: string;
      readonly rows: Rows<readonly [chunk: number, row: number, mark: string]>;
    }
  /** JSON text of an array of settle entries. */
  | { readonly kind: 'settled'; readonly run: string; readonly entries: string }
  | {
      readonly kind: 'unsettled';
      readonly run: string;
      readonly rows: Rows<readonly [chunk: number, row: number]>;
    };

/** The journal as the ledger needs it: it survives a Redis that comes back without its last second, or empty. */
export type RowJournal = {
  /** Resolves when the record is on disk; rejects where it can't be. */
  write(record: RowRecord): Promise<void>;
  /** Written behind; never fails. */
  note(record: RowRecord): void;
};

export type MarkedRow = Pick<Intent, 'chunk' | 'row' | 'mark'>;

export type Granted =
  | { readonly kind: 'granted' }
  /** Another worker has or had the row. */
  | { readonly kind: 'taken' }
  /** The run is not running. */
  | { readonly kind: 'halted' }
  /** The breaker lets nothing through for that long (ms): ask again. `isHold`: since the service has asked for it. */
  | { readonly kind: 'wait'; readonly ms: number; readonly isHold: boolean }
  /** Of a range: the claims of its keys are to be looked at, each by an intent of its own. */
  | { readonly kind: 'unclaimed' }
  /** The row's key is another row's by now. */
  | { readonly kind: 'held'; readonly by: { readonly run: string; readonly row: number } }
  /** The journal can't be written, or the home has been taken by another machine: nothing may be sent. */
  | { readonly kind: 'unwritten'; readonly problem: string };

/** What is exchanged: rows that ended, and those that are to be sent: in their order, and each by itself. */
export type Exchange = {
  readonly ended: readonly SettledRow[];
  /** None of the rows that ended was told of before, in a command that may have been carried out. */
  readonly isFirst: boolean;
  readonly ranges: readonly Range[];
  readonly next: readonly Intent[];
};

/** One answer for each row, in their order. */
export type Exchanged = {
  /** The entry that was recorded; `null`: the row already had its outcome, or is in another taker's hands. */
  readonly recorded: ReadonlyArray<SettleEntry | null>;
  readonly granted: readonly Granted[];
  /** Of the ranges' rows, one range after the other. */
  readonly ranged: readonly Granted[];
};

export type ExchangeEdges = {
  readonly epoch: LedgerEpoch;
  readonly keys: LedgerKeys;
  readonly journal: RowJournal;
  readonly run: string;
  /** The longest that a row sent as a probe may take, ms. */
  readonly probeMs: number;
};

const exchange = inEpoch(EXCHANGE, z.tuple([z.number()]).rest(z.union([z.number(), z.string()])));
const withdraw = inEpoch(WITHDRAW, z.array(z.number()));

/**
 * Records what ended, and marks the next rows as about to be sent, in Redis and on the disk at once; those are granted only where they
 * are in both. Rejects where Redis refuses: then nothing is granted, and what ended is to be recorded again.
 */
export async function exchangeRows(rows: Exchange, edges: ExchangeEdges): Promise<Exchanged> {
  const { ended, isFirst } = rows;
  const entries = ended.map((row) => settleEntry(edges.keys, row));
  const ends = () => ended.map(({ settlement }) => settlement.row);
  if (ended.length > 0) passStage('settling', ends);
  const [sure, unsent] = partedBySending(entries);
  noteSettled(sure, edges);
  const { args, order } = settleArguments(entries, isFirst);
  const { unrecorded, granted } = await granting(args, nextOf(rows, edges.keys), edges);
  if (ended.length > 0) passStage('settled', ends);
  const others = new Set(unrecorded.map((place) => order[place - 1]));
  noteSettled(
    unsent.filter((entry) => !others.has(entry)),
    edges,
  );
  const inOrder = granted.length - rows.next.length;
  return {
    recorded: entries.map((entry) => (others.has(entry) ? null : entry)),
    granted: granted.slice(inOrder),
    ranged: granted.slice(0, inOrder),
  };
}

/** What is to be granted: the rows of the ranges, then the others. */
type Next = {
  readonly ranges: readonly PlacedRange[];
  readonly single: readonly PlacedIntent[];
  readonly marked: readonly MarkedRow[];
};

/** A range with each key's place in the identity ledger, `''` for none, and its rows' marks. */
type PlacedRange = {
  readonly range: Range;
  readonly rows: ReadonlyArray<MarkedRow & { readonly bucket: string; readonly digest: string }>;
};

function nextOf({ ranges, next }: Exchange, keys: LedgerKeys): Next {
  const placed = ranges.map((range) => placedRange(range, keys));
  const marked = [...placed.flatMap(({ rows }) => rows), ...next];
  return { ranges: placed, single: next.map((intent) => placedIntent(intent, keys)), marked };
}

function placedRange(range: Range, keys: LedgerKeys): PlacedRange {
  const { chunk, taker } = range;
  const rows = range.rows.map(({ row, identity }) => {
    const { bucket, digest } = identity === null ? NOWHERE : identityPlace(keys, identity);
    return { chunk, row, mark: intentMark(taker, row, 1), bucket, digest };
  });
  return { range, rows };
}

const NOWHERE = { bucket: '', digest: '' };

type Settling = ReturnType<typeof settleArguments>['args'];
/** `unrecorded`: places of rows that ended. */
type Answers = { readonly unrecorded: readonly number[]; readonly granted: readonly Granted[] };

async function granting(ended: Settling, next: Next, edges: ExchangeEdges): Promise<Answers> {
  const { marked } = next;
  if (marked.length === 0) {
    const [, ...places] = await send(ended, [], edges);
    return { unrecorded: places.map(Number), granted: [] };
  }
  passStage('intending', () => marked.map(({ row }) => row));
  // A replay of this process' journal meanwhile must not take what was never granted for something that was.
  const release = edges.epoch.hold(marked.map(({ mark }) => mark));
  try {
    const [{ unrecorded, granted }, problem] = await Promise.all([
      passing(
        'granted',
        marked,
        grant(ended, next, edges).catch((error) => refused(error, marked, edges)),
      ),
      passing('journaled', marked, journalIntents(next, edges)),
    ]);
    noteIdle(granted, marked, edges);
    // Asked only now: whoever takes the home after this answer finds the intents there.
    const stop = problem ?? (await problemOfHome(edges));
    if (stop === null) return { unrecorded, granted };
    return { unrecorded, granted: await withAllWithdrawn(granted, stop, { marked, edges }) };
  } finally {
    release();
  }
}

const NONE: readonly SettleEntry[] = [];

/**
 * Ends of rows of which their settler has sent nothing are apart: the journal is told of them only when Redis has recorded them. Where
 * Redis has not, another worker sends the row, and a replay must not say that it failed. All other ends go to the journal first.
 */
function partedBySending(
  entries: readonly SettleEntry[],
): readonly [sure: readonly SettleEntry[], unsent: readonly SettleEntry[]] {
  if (!entries.some(isUnsent)) return [entries, NONE];
  return [entries.filter((entry) => !isUnsent(entry)), entries.filter(isUnsent)];
}

function noteSettled(entries: readonly SettleEntry[], { journal, run }: ExchangeEdges): void {
  if (entries.length > 0) journal.note({ kind: 'settled', run, entries: JSON.stringify(entries) });
}

/** Takes intents back where nothing was received; answers which were still there. */
export async function withdrawRows(rows: readonly MarkedRow[], edges: ExchangeEdges): Promise<boolean[]> {
  const marks = rows.map(({ chunk, row, mark }) => [chunk, row, mark] as const);
  edges.journal.note({ kind: 'withdrawn', run: edges.run, rows: marks });
  const gone = await edges.epoch.call(
    withdraw,
    [edges.keys.run(edges.run).chunk, edges.keys.breaker],
    marks.flat(),
  );
  return gone.map((g) => g === 1);
}

async function grant(ended: Settling, next: Next, edges: ExchangeEdges): Promise<Answers> {
  const [count, ...words] = await send(ended, [edges.probeMs, ...nextArguments(next, edges.keys)], edges);
  const granted = withExceptions<Granted>(words.slice(count).map(String), next.marked.length, {
    usual: GRANTED,
    parse: parseRefusal,
  });
  return { unrecorded: words.slice(0, count).map(Number), granted };
}

/** The script EXCHANGE with the arguments of what ended and of what is next. */
function send(
  [others, ...groups]: Settling,
  next: readonly (string | number)[],
  { epoch, keys, run }: ExchangeEdges,
): Promise<[number, ...(number | string)[]]> {
  // The place of the last argument of what ended: three stand before its groups.
  const last = HEAD_ARGUMENTS + groups.length;
  return epoch.call(exchange, recordKeys(keys, run), [run, others ?? '[]', last, ...groups, ...next]);
}

/** Run, JSON, place. */
const HEAD_ARGUMENTS = 3;

/** KEYS of the scripts that record outcomes. */
export function recordKeys(keys: LedgerKeys, run: string): string[] {
  const k = keys.run(run);
  return [
    k.record,
    k.chunk,
    k.blocks,
    k.late,
    k.doubts,
    k.sources,
    k.bodies,
    k.documents,
    keys.breaker,
    k.resolutions,
  ];
}

/** Nothing goes under an intent that Redis has refused: a replay must not think that it did. */
function refused(error: unknown, marked: readonly MarkedRow[], edges: ExchangeEdges): never {
  noteWithdrawn(marked, edges);
  throw error;
}

function noteWithdrawn(intents: readonly MarkedRow[], { journal, run }: ExchangeEdges): void {
  if (intents.length === 0) return;
  journal.note({
    kind: 'withdrawn',
    run,
    rows: intents.map(({ chunk, row, mark }) => [chunk, row, mark] as const),
  });
}

const LOST = 'ONBOARD_HOME was taken by another machine, container or command, or removed';

/** `null`: the home is this machine's. Where that can't be told, nothing is sent. */
async function problemOfHome({ epoch }: ExchangeEdges): Promise<string | null> {
  try {
    return (await epoch.isOurs()) ? null : LOST;
  } catch (error) {
    return messageOf(error);
  }
}

const GRANTED = { kind: 'granted' } as const;
const HELD = /^held [a-z] (\S+) (\d+)/;
const WAIT = /^(wait|hold) (\d+)/;

function parseRefusal(answer: string): Granted {
  if (answer === 'taken' || answer === 'halted' || answer === 'unclaimed') return { kind: answer };
  const [, by = '', row] = HELD.exec(answer) ?? [];
  if (row !== undefined) return { kind: 'held', by: { run: by, row: Number(row) } };
  const [, why, ms = '0'] = WAIT.exec(answer) ?? [];
  return { kind: 'wait', ms: Number(ms), isHold: why === 'hold' };
}

/** `null`, or what was wrong. */
async function journalIntents(
  { ranges, single }: Next,
  { journal, run }: ExchangeEdges,
): Promise<string | null> {
  const rows = [
    ...ranges.flatMap((range) => range.rows),
    ...single.map(({ intent, bucket, digest }) => ({ ...intent, bucket, digest })),
  ];
  try {
    await journal.write({
      kind: 'intended',
      run,
      rows: rows.map(({ chunk, row, mark, bucket, digest }) => [chunk, row, mark, bucket, digest] as const),
    });
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** Rows that were not granted may be in the journal, even where writing it failed: a replay must not think that they went. */
function noteIdle(granted: readonly Granted[], marked: readonly MarkedRow[], edges: ExchangeEdges): void {
  noteWithdrawn(
    marked.filter((_, i) => granted[i]?.kind !== 'granted'),
    edges,
  );
}

async function withAllWithdrawn(
  granted: readonly Granted[],
  problem: string,
  { marked, edges }: { readonly marked: readonly MarkedRow[]; readonly edges: ExchangeEdges },
): Promise<Granted[]> {
  const gone = marked.filter((_, i) => granted[i]?.kind === 'granted');
  if (gone.length > 0) await withdrawRows(gone, edges);
  return granted.map((g) => (g.kind === 'granted' ? { kind: 'unwritten', problem } : g));
}

async function passing<T>(stage: Stage, marked: readonly MarkedRow[], work: Promise<T>): Promise<T> {
  const result = await work;
  passStage(stage, () => marked.map(({ row }) => row));
  return result;
}

/** An intent with the place of its key's identity, `''` for none. */
type PlacedIntent = {
  readonly intent: Intent;
  readonly shared: SharedMark;
  readonly bucket: string;
  readonly digest: string;
};

function placedIntent(intent: Intent, keys: LedgerKeys): PlacedIntent {
  const { identity } = intent;
  const shared = sharedMark(intent.mark, intent.row);
  if (identity === null) return { intent, shared, bucket: '', digest: '' };
  const { bucket, digest } = identityPlace(keys, identity);
  return { intent, shared, bucket, digest };
}

/** ARGV of the script EXCHANGE behind what ended, from its second on: what rows of one take of a chunk share is said once. */
function nextArguments({ ranges, single }: Next, keys: LedgerKeys): (string | number)[] {
  const follows = single.some(({ intent }) => intent.fields !== null);
  const args = [follows ? 1 : 0, ranges.length, ...ranges.flatMap(({ range }) => rangeArguments(range))];
  for (const group of groupAdjacent(single, areOfOneTake)) {
    const { intent: first, shared } = group[0];
    const { chunk, expected, repeatable } = first;
    args.push(chunk, shared.text, shared.isNumbered, expected, repeatable ? 1 : 0, group.length);
    for (const { intent, bucket, digest } of group) {
      args.push(intent.row, bucket, digest);
      if (follows) args.push(...fieldsArguments(intent, keys));
    }
  }
  return args;
}

function rangeArguments(range: Range): (string | number)[] {
  const { chunk, taker, seen, from, repeatable, claimed, rows, apart } = range;
  const head = [chunk, taker, seen, from, repeatable ? 1 : 0, claimed, rows.length, apart.length];
  return [...head, ...rows.map(({ row }) => row), ...apart.flat()];
}

function areOfOneTake(
  { intent: a, shared: x }: PlacedIntent,
  { intent: b, shared: y }: PlacedIntent,
): boolean {
  const isOneMark = a.chunk === b.chunk && x.text === y.text && x.isNumbered === y.isNumbered;
  return isOneMark && a.expected === b.expected && a.repeatable === b.repeatable;
}

function fieldsArguments({ fields }: Intent, keys: LedgerKeys): readonly string[] {
  if (fields === null) return ['', '', '', ''];
  const { bucket, digest } = fieldsPlace(keys, fields);
  return [bucket, digest, fields.before, fields.own];
}
