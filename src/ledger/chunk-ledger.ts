/**
 * One run's rows in Redis, for those who deliver them: a chunk is taken, its rows are intended, settled, put back, and the chunk is
 * closed. Each step is one script, a compare-and-set on the rows' marks (lua/rows.ts), and runs only in an open epoch; each is noted in
 * this process' journal as well, so that a Redis that forgets can be put right. What is asked for in one turn of the event loop travels
 * in one command.
 */

import { z } from 'zod';
import { tickBatch } from '../lib/tick-batch.ts';
import type { KeyState } from '../model/identity.ts';
import type { Run } from '../model/run.ts';
import { inEpoch, type LedgerEpoch } from './epoch.ts';
import { type Exchange, type Exchanged, exchangeRows, type RowJournal, withdrawRows } from './exchange.ts';
import type { MarkedRow } from './intent.ts';
import { keyFields, keyStateIn } from './key-claims.ts';
import { fieldsPlace, type KeyPlace, type LedgerKeys } from './keys.ts';
import { LOOK_UP } from './lua/keys.ts';
import { RESERVE } from './lua/runs.ts';
import { createChunkClosing, createChunkMemory, readChunk, type Taken } from './open-chunk.ts';
import type { SettledRow } from './settle-entry.ts';

export type ChunkLedger = {
  /**
   * Records what ended and asks for the intents of the next rows, in one command and one write of the journal; one answer for each, in
   * their order. Granted only when the intent is in Redis and on this machine's disk.
   */
  exchange(
    rows: Partial<Exchange>,
  ): Promise<Omit<Exchanged, 'recorded' | 'closed'> & { readonly recorded: readonly boolean[] }>;
  /** `rows`: the numbers of the chunk's rows. */
  take(chunk: number, rows: readonly number[]): Promise<Taken>;
  /** What an identity ledger says of a key. */
  readKey(key: KeyPlace): Promise<KeyState>;
  /** The digests of the fields that the service last accepted of the record with that key; `''` or beginning with `~`: they aren't known. */
  readFields(key: KeyPlace): Promise<string>;
  withdraw(intent: MarkedRow): Promise<boolean>;
  /** True where the outcome was recorded, false where the row already had one or is in another taker's hands. Also for a row that was told of before. */
  settle(row: SettledRow): Promise<boolean>;
  /** `settle` for many, in one command. */
  settleAll(rows: readonly SettledRow[]): Promise<readonly boolean[]>;
  /** Closes a chunk of which every row is settled; false where one is not. */
  close(chunk: number, rows: number): Promise<boolean>;
  /** When the run's next requests may go, over all workers: as many as `times`, or fewer, `intervalMs` apart. */
  reserve(times: number, intervalMs: number): Promise<Reserved>;
};

type ChunkLedgerOptions = {
  readonly epoch: LedgerEpoch;
  readonly keys: LedgerKeys;
  readonly journal: RowJournal;
  readonly run: Run;
  /** The longest that a row sent as a probe may take, ms. */
  readonly probeMs: number;
  readonly now: () => Date;
};

const MAX_BATCH = 200;
const NONE: readonly never[] = [];

const lookUp = inEpoch(LOOK_UP, z.array(z.string()));

export function createChunkLedger(options: ChunkLedgerOptions): ChunkLedger {
  const { epoch, keys, run } = options;
  const k = keys.run(run.id);
  const memory = createChunkMemory(options.now);
  const edges = { ...options, wholeWith: memory.wholeWith };
  const closeChunk = createChunkClosing({ epoch, keys, run, memory, now: options.now });
  const exchange: ChunkLedger['exchange'] = async ({
    ended = NONE,
    isFirst = true,
    ranges = NONE,
    next = NONE,
  }) => {
    const recovery = epoch.recoveries();
    const { recorded, closed, ...answers } = await exchangeRows({ ended, isFirst, ranges, next }, edges);
    for (const row of recorded) if (row !== null) memory.recorded(row, recovery);
    for (const chunk of closed) memory.closed(chunk, recovery);
    return { ...answers, recorded: recorded.map((row) => row !== null) };
  };
  const settleAll = async (rows: readonly SettledRow[], isFirst = true) => {
    const recorded: boolean[] = [];
    for (const ended of bounded(rows)) recorded.push(...(await exchange({ ended, isFirst })).recorded);
    return recorded;
  };

  return {
    async take(chunk, rows) {
      memory.taken(chunk, rows.length);
      return (await readChunk(chunk, rows, { epoch, keys, run: run.id })).taken;
    },
    readKey: tickBatch(async (places: readonly KeyPlace[]) => {
      const asked = places.flatMap((place) => keyFields(keys, place));
      const found = await epoch.read(lookUp, [], placeArguments(asked));
      return places.map((place, i) => keyStateIn(place, found[2 * i] ?? '', found[2 * i + 1] ?? ''));
    }, MAX_BATCH),
    readFields: tickBatch(async (places: readonly KeyPlace[]) => {
      const found = places.map((place) => fieldsPlace(keys, place));
      return epoch.read(lookUp, [], placeArguments(found));
    }, MAX_BATCH),
    async exchange(rows) {
      const { ended = NONE, ...next } = rows;
      if (bounded(ended).length <= 1) return exchange(rows);
      const recorded = await settleAll(ended);
      return { ...(await exchange(next)), recorded };
    },
    withdraw: tickBatch((rows: readonly MarkedRow[]) => withdrawRows(rows, edges), MAX_BATCH),
    settle: tickBatch((rows: readonly SettledRow[]) => settleAll(rows, false), MAX_BATCH),
    settleAll: (rows) => settleAll(rows),
    close: closeChunk,
    reserve: (times, intervalMs) => reserveTimes(epoch, k.rate, { times, intervalMs }),
  };
}

/** Of what is kept of rows, in characters, in one command and one line of the journal: each is held several times over on its way. */
const MAX_KEPT = 1024 * 1024;

/** Batches of about that size at most; the rows of a group stay together, and are recorded in one step. */
function bounded(rows: readonly SettledRow[]): ReadonlyArray<readonly SettledRow[]> {
  const batches: SettledRow[][] = [];
  let size = 0;
  for (const row of rows) {
    const kept = row.source.length + row.body.length + row.documents.length;
    const batch = batches.at(-1);
    size += kept;
    if (batch !== undefined && (size <= MAX_KEPT || row.lead !== null)) {
      batch.push(row);
    } else {
      batches.push([row]);
      size = kept;
    }
  }
  return batches;
}

function placeArguments(
  places: ReadonlyArray<{ readonly bucket: string; readonly digest: string }>,
): string[] {
  return places.flatMap(({ bucket, digest }) => [bucket, digest]);
}

/** Times on a run's time line that are one worker's now. */
export type Reserved = {
  /** How many, evenly spaced; 0: there are none for now. */
  readonly times: number;
  /** Until the first of them, or until it is worth asking again, ms; below 0: since then. */
  readonly inMs: number;
};

/** No time is given that is farther off: those of a worker that is killed are lost. */
export const AHEAD_MS = 20;
/** As much of a moment in which nobody asked is made up for: a twenty-fifth of what goes in a second. */
const BEHIND_MS = 40;

const reserve = inEpoch(RESERVE, z.tuple([z.coerce.number(), z.coerce.number()]));

/** Asks for as many times as `times` on the time line at `key`, `intervalMs` apart over all workers together. */
async function reserveTimes(
  epoch: LedgerEpoch,
  key: string,
  { times, intervalMs }: { readonly times: number; readonly intervalMs: number },
): Promise<Reserved> {
  const args = [times, intervalMs * 1000, AHEAD_MS * 1000, BEHIND_MS * 1000];
  const [given, microseconds] = await epoch.call(reserve, [key], args);
  return { times: given, inMs: microseconds / 1000 };
}
