/**
 * Intents: the durable sign that a row is about to be sent. An intent is granted only when it is in Redis (so that another worker sees
 * it) and on this machine's disk (so that it survives a Redis that forgets), and withdrawn only where it is proven that nothing was
 * received. Whatever fails half-way is noted as withdrawn: a replay must never take what was not granted for something that was sent.
 */

import { z } from 'zod';
import { groupAdjacent } from '../lib/batches.ts';
import { messageOf } from '../lib/errors.ts';
import { passStage, type Stage } from '../lib/stage.ts';
import { inEpoch, type LedgerEpoch } from './epoch.ts';
import { fieldsPlace, identityPlace, type KeyPlace, type LedgerKeys } from './keys.ts';
import { INTEND, WITHDRAW } from './lua/rows.ts';
import { type SharedMark, sharedMark } from './mark.ts';
import { withExceptions } from './script.ts';

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

export type IntendEdges = {
  readonly epoch: LedgerEpoch;
  readonly keys: LedgerKeys;
  readonly journal: RowJournal;
  readonly run: string;
  /** The longest that a row sent as a probe may take, ms. */
  readonly probeMs: number;
};

const intend = inEpoch(INTEND, z.array(z.string()));
const withdraw = inEpoch(WITHDRAW, z.array(z.number()));

/** Marks rows as about to be sent, in Redis and on the disk at once; granted only where it is in both. */
export async function intendRows(intents: readonly Intent[], edges: IntendEdges): Promise<Granted[]> {
  passStage('intending', () => intents.map(({ row }) => row));
  const rows = intents.map((intent) => placedIntent(intent, edges.keys));
  // A replay of this process' journal meanwhile must not take what was never granted for something that was.
  const release = edges.epoch.hold(intents.map(({ mark }) => mark));
  try {
    const [granted, problem] = await Promise.all([
      passing(
        'granted',
        intents,
        grant(rows, edges).catch((error) => refused(error, intents, edges)),
      ),
      passing('journaled', intents, journalIntents(rows, edges)),
    ]);
    noteIdle(granted, intents, edges);
    // Asked only now: whoever takes the home after this answer finds the intents there.
    const stop = problem ?? (await problemOfHome(edges));
    return stop === null ? granted : await withAllWithdrawn(granted, stop, { intents, edges });
  } finally {
    release();
  }
}

/** Takes intents back where nothing was received; answers which were still there. */
export async function withdrawRows(rows: readonly MarkedRow[], edges: IntendEdges): Promise<boolean[]> {
  const marks = rows.map(({ chunk, row, mark }) => [chunk, row, mark] as const);
  edges.journal.note({ kind: 'withdrawn', run: edges.run, rows: marks });
  const gone = await edges.epoch.call(
    withdraw,
    [edges.keys.run(edges.run).chunk, edges.keys.breaker],
    marks.flat(),
  );
  return gone.map((g) => g === 1);
}

async function grant(rows: readonly PlacedIntent[], edges: IntendEdges): Promise<Granted[]> {
  const { epoch, keys, run, probeMs } = edges;
  const k = keys.run(run);
  const scriptKeys = [k.record, k.chunk, k.blocks, keys.breaker];
  const answers = await epoch.call(intend, scriptKeys, [run, probeMs, ...intendArguments(rows, keys)]);
  return withExceptions<Granted>(answers, rows.length, { usual: GRANTED, parse: parseRefusal });
}

/** Nothing goes under an intent that Redis has refused: a replay must not think that it did. */
function refused(error: unknown, intents: readonly Intent[], edges: IntendEdges): never {
  noteWithdrawn(intents, edges);
  throw error;
}

function noteWithdrawn(intents: readonly MarkedRow[], { journal, run }: IntendEdges): void {
  if (intents.length === 0) return;
  journal.note({
    kind: 'withdrawn',
    run,
    rows: intents.map(({ chunk, row, mark }) => [chunk, row, mark] as const),
  });
}

const LOST = 'ONBOARD_HOME was taken by another machine, container or command, or removed';

/** `null`: the home is this machine's. Where that can't be told, nothing is sent. */
async function problemOfHome({ epoch }: IntendEdges): Promise<string | null> {
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
  { journal, run }: IntendEdges,
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
function noteIdle(granted: readonly Granted[], intents: readonly Intent[], edges: IntendEdges): void {
  noteWithdrawn(
    intents.filter((_, i) => granted[i]?.kind !== 'granted'),
    edges,
  );
}

async function withAllWithdrawn(
  granted: readonly Granted[],
  problem: string,
  { intents, edges }: { readonly intents: readonly Intent[]; readonly edges: IntendEdges },
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

/** ARGV of the script INTEND from its third on: what rows of one take of a chunk share is said once. */
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
