/**
 * One run's rows in Redis, for those who deliver them. Each step is one script, a compare-and-set
 * on the rows' marks (lua/exchange.lua), runs on a verified ledger alone, and is also written to
 * this process' journal, so that a Redis that forgets can be repaired. Calls of one turn of the
 * event loop travel in one command.
 */

import { z } from 'zod';
import type { Seal } from '../../lib/seal.ts';
import { tickBatch } from '../../lib/tick-batch.ts';
import type { KeyForm } from '../../model/key-form.ts';
import type { Run } from '../../model/run.ts';
import { type FirstUpdate, showTried, triedBefore } from './adoption.ts';
import { type Exchange, type Exchanged, exchangeRows, type RowJournal, withdrawRows } from './exchange.ts';
import type { MarkedRow } from './intent.ts';
import { keyStates, looksWhenVerified } from './key-claims.ts';
import { fieldsPlace, identityOf, type KeyPlace, type LedgerKeys } from './keys.ts';
import RESERVE from './lua/reserve.lua';
import { closeChunk, takeChunk } from './open-chunk.ts';
import { createBodyTeller } from './refusal-bodies.ts';
import type { SettledRow } from './settle-entry.ts';
import { type VerifiedLedger, whenVerified } from './verified.ts';

export type ChunkLedger = ReturnType<typeof createChunkLedger>;

type ChunkLedgerOptions = {
  readonly verified: VerifiedLedger;
  readonly keys: LedgerKeys;
  readonly journal: RowJournal;
  readonly run: Run;
  readonly seal: Seal;
  /** The longest that a probing row may take, ms. */
  readonly probeMs: number;
  readonly now: () => Date;
};

const MAX_BATCH = 200;
const NONE: readonly never[] = [];

export function createChunkLedger(given: ChunkLedgerOptions) {
  const { verified, keys, run } = given;
  const options = { ...given, bodies: createBodyTeller(run.id) };
  const look = looksWhenVerified(verified);
  const exchange = ({
    ended = NONE,
    isFirst = true,
    ranges = NONE,
    next = NONE,
  }: Partial<Exchange>): Promise<Exchanged> => exchangeRows({ ended, isFirst, ranges, next }, options);
  const settleAll = async (rows: readonly SettledRow[], isFirst = true) => {
    const unrecorded: number[] = [];
    for (const ended of bounded(rows)) {
      const exchanged = await exchange({ ended, isFirst });
      unrecorded.push(...exchanged.unrecorded);
    }
    return new Set(unrecorded);
  };

  return {
    /** `rows`: the numbers of the chunk's rows. */
    take: (chunk: number, rows: readonly number[]) => takeChunk(chunk, rows, options),
    /** Where the ledger keeps a key within its space. */
    placeOf: (key: string, form: KeyForm) => identityOf(keys, key, form),
    readKey: tickBatch((places: readonly KeyPlace[]) => keyStates(look.keys, keys, places), MAX_BATCH),
    /** Digests of the fields that the service last accepted; `''` or with `~` first: unknown. */
    readFields: tickBatch(
      (places: readonly KeyPlace[]) => look.fields(places.map((of) => fieldsPlace(keys, of))),
      MAX_BATCH,
    ),
    /**
     * Records what ended and asks for the next rows' intents, in one command and one journal write.
     * An intent is granted only once it is in Redis and on this machine's disk.
     */
    async exchange(rows: Partial<Exchange>) {
      const { ended = NONE, ...next } = rows;
      if (bounded(ended).length <= 1) return exchange(rows);
      const unrecorded = await settleAll(ended);
      return { ...(await exchange(next)), unrecorded };
    },
    /** `null`: the row may update that record; else it waits for a person. */
    triedBefore: (update: FirstUpdate) => triedBefore(verified.redis, keys, { run: run.id, ...update }),
    /** For whoever sees that the run waits. */
    showTried: (madeBy: string, words: string) =>
      showTried(verified.redis, keys, { run: run.id, madeBy, words }),
    withdraw: tickBatch((rows: readonly MarkedRow[]) => withdrawRows(rows, options), MAX_BATCH),
    /** False where the row already had an outcome or belongs to another take. Safe to repeat. */
    settle: tickBatch(async (rows: readonly SettledRow[]) => {
      const unrecorded = await settleAll(rows, false);
      return rows.map(({ row }) => !unrecorded.has(row));
    }, MAX_BATCH),
    /** Answers the rows for which that is so. */
    settleAll: (rows: readonly SettledRow[]): Promise<ReadonlySet<number>> => settleAll(rows),
    /** `rows`: how many. False where one has no outcome, or something changed: take it again. */
    close: (chunk: number, rows: number) => closeChunk(chunk, rows, options),
    /** When the run's next requests may go, over all workers: `times` at most, evenly spaced. */
    reserve: (times: number, intervalMs: number) =>
      reserveTimes(verified, keys.run(run.id).rate, { times, intervalMs }),
  };
}

/** Kept characters in one command and one journal line: memory holds each several times. */
const MAX_KEPT = 1024 * 1024;

/** Batches of about MAX_KEPT. The rows of a group stay together: they are recorded in one step. */
function bounded(rows: readonly SettledRow[]): ReadonlyArray<readonly SettledRow[]> {
  const batches: SettledRow[][] = [];
  let size = 0;
  for (const row of rows) {
    const kept = row.source.length + row.body.length + row.documents.length;
    const batch = batches.at(-1);
    size += kept;
    if (batch !== undefined && (size <= MAX_KEPT || row.leader !== null)) {
      batch.push(row);
    } else {
      batches.push([row]);
      size = kept;
    }
  }
  return batches;
}

export type Reserved = {
  /** How many, evenly spaced; 0: none for now. */
  readonly times: number;
  /** Ms until the first of them, or until the next try is worth it; negative: since then. */
  readonly inMs: number;
};

/** No time is given further ahead: a killed worker's times are lost. */
export const AHEAD_MS = 20;
/** How far back unused time is made up for: a twenty-fifth of what goes in a second. */
const BEHIND_MS = 40;

const reserve = whenVerified(RESERVE, z.tuple([z.coerce.number(), z.coerce.number()]));

async function reserveTimes(
  verified: VerifiedLedger,
  key: string,
  { times, intervalMs }: { readonly times: number; readonly intervalMs: number },
): Promise<Reserved> {
  const args = [times, intervalMs * 1000, AHEAD_MS * 1000, BEHIND_MS * 1000];
  const [given, microseconds] = await verified.call(reserve, [key], args);
  return { times: given, inMs: microseconds / 1000 };
}
