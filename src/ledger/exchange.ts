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
import { type SharedMark, sharedMark } from './mark.ts';
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
  /** The row's key is another row's by now. */
  | { readonly kind: 'held'; readonly by: { readonly run: string; readonly row: number } }
  /** The journal can't be written, or the home has been taken by another machine: nothing may be sent. */
  | { readonly kind: 'unwritten'; readonly problem: string };

/** What is exchanged: rows that ended, and intents of rows that are to be sent. */
export type Exchange = { readonly ended: readonly SettledRow[]; readonly next: readonly Intent[] };

/** One answer for each row, in their order. */
export type Exchanged = {
  /** The entry that was recorded; `null`: the row already had its outcome, or is in another taker's hands. */
  readonly recorded: ReadonlyArray<SettleEntry | null>;
  readonly granted: readonly Granted[];
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
export async function exchangeRows({ ended, next }: Exchange, edges: ExchangeEdges): Promise<Exchanged> {
  const entries = ended.map((row) => settleEntry(edges.keys, row));
  const ends = () => ended.map(({ settlement }) => settlement.row);
  if (ended.length > 0) passStage('settling', ends);
  const [sure, unsent] = partedBySending(entries);
  noteSettled(sure, edges);
  const { order, answers, granted } = await exchanged(settleArguments(entries), next, edges);
  if (ended.length > 0) passStage('settled', ends);
  const others = new Set(answers.map((place) => order[place - 1]));
  noteSettled(
    unsent.filter((entry) => !others.has(entry)),
    edges,
  );
  return { recorded: entries.map((entry) => (others.has(entry) ? null : entry)), granted };
}

type Settling = ReturnType<typeof settleArguments>;
/** `answers`: the places of rows that were not recorded. */
type Answered = {
  readonly order: Settling['order'];
  readonly answers: readonly number[];
  readonly granted: readonly Granted[];
};

async function exchanged(
  { args, order }: Settling,
  next: readonly Intent[],
  edges: ExchangeEdges,
): Promise<Answered> {
  if (next.length === 0) {
    const [, ...answers] = await send(args, [], edges);
    return { order, answers: answers.map(Number), granted: [] };
  }
  passStage('intending', () => next.map(({ row }) => row));
  const rows = next.map((intent) => placedIntent(intent, edges.keys));
  // A replay of this process' journal meanwhile must not take what was never granted for something that was.
  const release = edges.epoch.hold(next.map(({ mark }) => mark));
  try {
    const [{ answers, granted }, problem] = await Promise.all([
      passing(
        'granted',
        next,
        grant(args, rows, edges).catch((error) => refused(error, next, edges)),
      ),
      passing('journaled', next, journalIntents(rows, edges)),
    ]);
    noteIdle(granted, next, edges);
    // Asked only now: whoever takes the home after this answer finds the intents there.
    const stop = problem ?? (await problemOfHome(edges));
    if (stop === null) return { order, answers, granted };
    return { order, answers, granted: await withAllWithdrawn(granted, stop, { intents: next, edges }) };
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

async function grant(
  ended: Settling['args'],
  rows: readonly PlacedIntent[],
  edges: ExchangeEdges,
): Promise<Omit<Answered, 'order'>> {
  const { keys, probeMs } = edges;
  const [count, ...words] = await send(ended, [probeMs, ...intendArguments(rows, keys)], edges);
  const granted = withExceptions<Granted>(words.slice(count).map(String), rows.length, {
    usual: GRANTED,
    parse: parseRefusal,
  });
  return { answers: words.slice(0, count).map(Number), granted };
}

/** The script EXCHANGE with the arguments of what ended and of what is next. */
function send(
  [others, ...groups]: Settling['args'],
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
function refused(error: unknown, intents: readonly Intent[], edges: ExchangeEdges): never {
  noteWithdrawn(intents, edges);
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

const LOST = 'another machine or container has taken ONBOARD_HOME';

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
  if (answer === 'taken' || answer === 'halted') return { kind: answer };
  const [, by = '', row] = HELD.exec(answer) ?? [];
  if (row !== undefined) return { kind: 'held', by: { run: by, row: Number(row) } };
  const [, why, ms = '0'] = WAIT.exec(answer) ?? [];
  return { kind: 'wait', ms: Number(ms), isHold: why === 'hold' };
}

/** `null`, or what was wrong. */
async function journalIntents(
  placed: readonly PlacedIntent[],
  { journal, run }: ExchangeEdges,
): Promise<string | null> {
  const rows = placed.map(
    ({ intent, bucket, digest }) => [intent.chunk, intent.row, intent.mark, bucket, digest] as const,
  );
  try {
    await journal.write({ kind: 'intended', run, rows });
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** Rows that were not granted may be in the journal, even where writing it failed: a replay must not think that they went. */
function noteIdle(granted: readonly Granted[], intents: readonly Intent[], edges: ExchangeEdges): void {
  noteWithdrawn(
    intents.filter((_, i) => granted[i]?.kind !== 'granted'),
    edges,
  );
}

async function withAllWithdrawn(
  granted: readonly Granted[],
  problem: string,
  { intents, edges }: { readonly intents: readonly Intent[]; readonly edges: ExchangeEdges },
): Promise<Granted[]> {
  const marked = intents.filter((_, i) => granted[i]?.kind === 'granted');
  if (marked.length > 0) await withdrawRows(marked, edges);
  return granted.map((g) => (g.kind === 'granted' ? { kind: 'unwritten', problem } : g));
}

async function passing<T>(stage: Stage, intents: readonly Intent[], work: Promise<T>): Promise<T> {
  const result = await work;
  passStage(stage, () => intents.map(({ row }) => row));
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
function intendArguments(rows: readonly PlacedIntent[], keys: LedgerKeys): (string | number)[] {
  const follows = rows.some(({ intent }) => intent.fields !== null);
  const args: (string | number)[] = [follows ? 1 : 0];
  for (const group of groupAdjacent(rows, areOfOneTake)) {
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
