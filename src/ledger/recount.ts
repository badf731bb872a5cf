/**
 * Counts a run's outcomes anew from its rows: a Redis that started on a torn append-only file may
 * have counted something twice or not at all. Promised: a run's numbers are replaced only where
 * nothing was recorded since they were read.
 */
import { z } from 'zod';
import type { RedisConnection } from '../lib/redis-connection.ts';
import { countSettled, noOutcomes, OUTCOMES, type OutcomeCounts } from '../model/outcome.ts';
import { isOver } from '../model/run.ts';
import { type RunBrief, readBriefs } from './brief.ts';
import type { LedgerKeys } from './keys.ts';
import { RECOUNT } from './lua/runs.ts';
import { readChunks } from './run-view.ts';
import { script } from './script.ts';

const RUNS_PER_LOOK = 500;
const CHUNKS_AT_ONCE = 16;

const recount = script(RECOUNT, z.number());

/** Open runs, and those whose numbers don't add up. A run with all its blocks is finished. */
export async function recountRuns(redis: RedisConnection, keys: LedgerKeys): Promise<void> {
  const ids = await redis.zrange(keys.runs, '0', '-1');
  for (let at = 0; at < ids.length; at += RUNS_PER_LOOK) {
    for (const run of await readBriefs(redis, keys, ids.slice(at, at + RUNS_PER_LOOK))) {
      if (isOver(run) && countSettled(run.outcomes) === run.rows) continue;
      await recountRun(redis, keys, run);
    }
  }
}

async function recountRun(redis: RedisConnection, keys: LedgerKeys, run: RunBrief): Promise<void> {
  const k = keys.run(run.id);
  for (let before: RunBrief | undefined = run; before !== undefined; ) {
    const counts = await countRows(redis, k, run.chunks);
    const finishedAt = new Date().toISOString();
    const args = [run.chunks, finishedAt, ...OUTCOMES, ...valuesOf(before.outcomes), ...valuesOf(counts)];
    if ((await recount(redis, [k.record, k.blocks], args)) === 1) return;
    [before] = await readBriefs(redis, keys, [run.id]);
  }
}

function valuesOf(counts: OutcomeCounts): number[] {
  return OUTCOMES.map((outcome) => counts[outcome]);
}

async function countRows(
  redis: RedisConnection,
  k: ReturnType<LedgerKeys['run']>,
  chunks: number,
): Promise<OutcomeCounts> {
  const counts = noOutcomes();
  for (let first = 1; first <= chunks; first += CHUNKS_AT_ONCE) {
    const length = Math.min(CHUNKS_AT_ONCE, chunks - first + 1);
    const numbers = Array.from({ length }, (_, i) => first + i);
    for (const { settlements } of await readChunks(redis, k, numbers))
      for (const { outcome } of settlements) counts[outcome] += 1;
  }
  return counts;
}
