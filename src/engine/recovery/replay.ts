/**
 * Puts back into the ledger what Redis has lost, from a journal: records of runs, outcomes, intents
 * with their keys' claims. Each step may run twice, in parts, and on a ledger that lost nothing:
 * what is newer there stays. Then runs are counted anew from their rows: a Redis that started on a
 * torn append-only file may have counted something twice or not at all.
 */

import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { batchesOf } from '../../lib/batches.ts';
import type { RedisConnection } from '../../lib/redis-connection.ts';
import type { Seal } from '../../lib/seal.ts';
import { countSettled, noOutcomes, OUTCOMES } from '../../model/outcome.ts';
import { isOver } from '../../model/run.ts';
import { stubOf } from '../ledger/audit.ts';
import { appendingSeldom } from '../ledger/audit-chain.ts';
import { recordKeys } from '../ledger/exchange.ts';
import type { LedgerKeys, RunKeys } from '../ledger/keys.ts';
import ADDED from '../ledger/lua/added.lua';
import ADDED_IN_EPOCH from '../ledger/lua/added-in-epoch.lua';
import POSSIBLY_SENT from '../ledger/lua/possibly-sent.lua';
import RECOUNT from '../ledger/lua/recount.lua';
import REPLAY_INTENT from '../ledger/lua/replay-intent.lua';
import REPLAY_SETTLED from '../ledger/lua/replay-settled.lua';
import RESTORE from '../ledger/lua/restore.lua';
import VOUCH from '../ledger/lua/vouch.lua';
import { parseSettlement, settledMark } from '../ledger/mark.ts';
import { protocol } from '../ledger/protocol.ts';
import { INPUT_TTL_SECONDS } from '../ledger/reruns.ts';
import { allBriefs, type RunBrief } from '../ledger/run-record.ts';
import { readAll } from '../ledger/run-view.ts';
import { script } from '../ledger/script.ts';
import { type VerifiedLedger, whenVerified } from '../ledger/verified.ts';

const restore = script(RESTORE, z.number());
const added = script(ADDED, z.number());
const addedInEpoch = whenVerified(ADDED_IN_EPOCH, z.number());
const settle = script(REPLAY_SETTLED, z.array(z.string()));
const possiblySent = script(POSSIBLY_SENT, z.number());
const vouch = script(VOUCH, z.number());
const recount = script(RECOUNT, z.number());
const replayIntent = script(REPLAY_INTENT, z.number());

const MAX_BATCH = 200;
/** Derived from outcomes: counted anew when those are put back. */
function isCounted(name: string): boolean {
  return name.startsWith(protocol.outcomeField) || ['finishedAt', 'reason', 'request'].includes(name);
}

const settledSchema = z.looseObject({ settlement: z.string() });

export function createReplay(redis: RedisConnection, keys: LedgerKeys) {
  return {
    /** Where the record is gone. */
    async run(run: string, fields: Readonly<Record<string, string>>): Promise<void> {
      await keys.sealing.begun();
      const file = fields.registry ?? `${fields.sha256 ?? ''}:${fields.job ?? ''}`;
      const createdAt = fields.createdAt ?? '';
      const { record, input } = keys.run(run);
      const prefix = keys.run('').record;
      const head = [run, Date.parse(createdAt), file, fields.state ?? '', prefix, createdAt];
      const args = [...head, ...Object.entries(fields).flat()];
      await restore(redis, [record, keys.runs, keys.files], args);
      const from = [fields.parent ?? [], Object.keys(JSON.parse(fields.standsFor ?? '{}'))].flat();
      for (const one of from) await redis.sadd(keys.run(one).takers, run);
      // Whoever looked at rows before the loss looks again.
      if (from.length > 0) await redis.hset(keys.files, 'taken', `${run} ${randomUUID()}`);
      // A Redis that went back to before the registration would drop the rows it has.
      if (fields.registry !== undefined) await redis.expire(input, INPUT_TTL_SECONDS);
    },
    /** The highest chunk that a worker handed to the queue. */
    async added(run: string, chunk: number): Promise<void> {
      await added(redis, [keys.run(run).record], [chunk]);
    },
    /** Nobody but this worker has handed out chunks since it noted its last one. */
    async vouched(run: string): Promise<void> {
      await vouch(redis, [keys.epoch, keys.run(run).record], []);
    },
    /** Settle entries as they were journaled. */
    async settled(run: string, entries: readonly object[]): Promise<void> {
      // A journal may outlive the purge of its run.
      if ((await redis.hexists(keys.run(run).record, 'purged')) === 1) return;
      const seal = await keys.run(run).seal();
      for (const batch of batchesOf(entries, MAX_BATCH)) {
        // Without their word to the breaker, which is about now.
        const told = batch.map((entry) => ({ ...entry, answered: undefined }));
        // Rows that were told together share a box, which would stand in Redis once for each.
        const entries = seal.isClear
          ? told
          : told.map((entry) => withOwnBox(settledSchema.parse(entry), seal));
        await settle(redis, recordKeys(keys, run), [run, JSON.stringify(entries)]);
      }
    },
    /** Intents as they were journaled. */
    async intended(run: string, rows: readonly object[]): Promise<void> {
      const k = keys.run(run);
      for (const batch of batchesOf(rows, MAX_BATCH)) {
        await replayIntent(redis, [k.chunk, k.blocks], [run, JSON.stringify(batch)]);
      }
    },
    /** What some workers sent is partly unknown: creates without a mark will be in doubt. */
    async possiblySent(runs: readonly string[]): Promise<void> {
      const records = runs.map((run) => keys.run(run).record);
      await possiblySent(redis, [keys.epoch, ...records], []);
    },
  };
}

function withOwnBox(entry: z.infer<typeof settledSchema>, seal: Seal) {
  return { ...entry, settlement: settledMark(parseSettlement(entry.settlement, seal), seal) };
}

/**
 * The run's chunks up to this one are about to be queued. It has a sequence number, so that its
 * worker notices where Redis loses it: a lost worker may have sent rows of any of them. Answers
 * whether it is the highest that is known.
 */
export async function noteAdded(
  epoch: VerifiedLedger,
  keys: LedgerKeys,
  { run, chunk }: { readonly run: string; readonly chunk: number },
): Promise<boolean> {
  return (await epoch.call(addedInEpoch, [keys.run(run).record], [chunk])) === 1;
}

/** The record as it is put back: cancelled, waiting for a person or running; nothing counted. */
export function restorableFields(record: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(record).filter(([name]) => !isCounted(name));
  const { reason } = record;
  const isAwaited = reason === 'approval' || reason === 'unusual' || reason === 'adopted';
  const waits = isAwaited && { state: 'paused', reason };
  const state = record.state === 'cancelled' ? 'cancelled' : 'running';
  return { ...Object.fromEntries(kept), state, reason: '', ...waits };
}

/**
 * Open runs, and those whose numbers don't add up: a run with all its blocks is finished. False:
 * something was recorded of a run since its rows were counted, and its numbers stay as they are.
 */
export async function recountRuns(redis: RedisConnection, keys: LedgerKeys): Promise<boolean> {
  let areRight = true;
  for await (const run of allBriefs(redis, keys)) {
    const isWhole = isOver(run) && countSettled(run.outcomes) === run.rows;
    const inDoubt = run.outcomes['in-doubt'];
    // Half a transaction may have taken a doubt from the list, and not from the numbers.
    const isListed = inDoubt === 0 || (await redis.hlen(keys.run(run.id).doubts)) === inDoubt;
    if (!isWhole || !isListed) areRight = (await recountRun(redis, keys, run)) && areRight;
  }
  return areRight;
}

async function recountRun(redis: RedisConnection, keys: LedgerKeys, run: RunBrief): Promise<boolean> {
  const k = keys.run(run.id);
  const listed = await redis.hgetall(k.doubts);
  const { counts, doubted } = await countRows(redis, k, run.chunks);
  const now = new Date().toISOString();
  const asked = {
    counts: OUTCOMES.map((outcome) => [
      protocol.outcomeField + outcome,
      run.outcomes[outcome],
      counts[outcome],
    ]),
    wrong: differing(listed, doubted),
    chunks: run.chunks,
    now,
    stub: stubOf(keys, run.id, now),
  };
  const names = [k.record, k.blocks, k.doubts, keys.audit];
  const said = JSON.stringify(asked);
  const answer = await appendingSeldom(redis, [keys.audit], ([link = '']) =>
    recount(redis, names, [link, said]),
  );
  return answer === 1;
}

/** `doubted`: rows in doubt, and their chunks. */
async function countRows(redis: RedisConnection, k: RunKeys, chunks: number) {
  const counts = noOutcomes();
  const doubted = new Map<string, number>();
  for await (const { chunk, settlements } of readAll(redis, k, chunks)) {
    for (const { row, outcome } of settlements) {
      counts[outcome] += 1;
      if (outcome === 'in-doubt') doubted.set(String(row), chunk);
    }
  }
  return { counts, doubted };
}

/** Rows whose chunk in the list is another; 0: they are not in doubt. */
function differing(
  listed: Readonly<Record<string, string>>,
  doubted: ReadonlyMap<string, number>,
): Array<readonly [row: string, chunk: number]> {
  const missing = [...doubted].filter(([row, chunk]) => listed[row] !== String(chunk));
  const beyond = Object.keys(listed).filter((row) => !doubted.has(row));
  return [...missing, ...beyond.map((row) => [row, 0] as const)];
}
