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
    const doubts = await redis.hgetall(k.doubts);
    const { counts, doubted } = await countRows(redis, k, run.chunks);
    const finishedAt = new Date().toISOString();
    const args = [
      JSON.stringify(differing(doubts, doubted)),
      run.chunks,
      finishedAt,
      ...OUTCOMES,
      ...valuesOf(before.outcomes),
      ...valuesOf(counts),
    ];
    if ((await recount(redis, [k.record, k.blocks, k.doubts], args)) === 1) return;
    [before] = await readBriefs(redis, keys, [run.id]);
  }
}

function valuesOf(counts: OutcomeCounts): number[] {
  return OUTCOMES.map((outcome) => counts[outcome]);
}

type Counted = {
  readonly counts: OutcomeCounts;
  /** Rows in doubt, and their chunks. */
  readonly doubted: ReadonlyMap<string, number>;
};

async function countRows(
  redis: RedisConnection,
  k: ReturnType<LedgerKeys['run']>,
  chunks: number,
): Promise<Counted> {
  const counts = noOutcomes();
  const doubted = new Map<string, number>();
  for (let first = 1; first <= chunks; first += CHUNKS_AT_ONCE) {
    const length = Math.min(CHUNKS_AT_ONCE, chunks - first + 1);
    const numbers = Array.from({ length }, (_, i) => first + i);
    for (const { chunk, settlements } of await readChunks(redis, k, numbers)) {
      for (const { row, outcome } of settlements) {
        counts[outcome] += 1;
        if (outcome === 'in-doubt') doubted.set(String(row), chunk);
      }
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
