/**
 * Counts a run's outcomes anew from its rows: a Redis that started on a torn append-only file may
 * have counted something twice or not at all. Promised: a run's numbers are replaced only where
 * nothing was recorded since they were read.
 */
import { z } from 'zod';
import type { RedisConnection } from '../lib/redis-connection.ts';
import { countSettled, noOutcomes, OUTCOMES } from '../model/outcome.ts';
import { isOver } from '../model/run.ts';
import type { LedgerKeys, RunKeys } from './keys.ts';
import { RECOUNT } from './lua/runs.ts';
import { allBriefs, type RunBrief, readBriefs } from './run-record.ts';
import { readAll } from './run-view.ts';
import { script } from './script.ts';

const recount = script(RECOUNT, z.number());

/** Open runs, and those whose numbers don't add up. A run with all its blocks is finished. */
export async function recountRuns(redis: RedisConnection, keys: LedgerKeys): Promise<void> {
  for await (const run of allBriefs(redis, keys)) {
    const isWhole = isOver(run) && countSettled(run.outcomes) === run.rows;
    if (!isWhole) await recountRun(redis, keys, run);
  }
}

async function recountRun(redis: RedisConnection, keys: LedgerKeys, run: RunBrief): Promise<void> {
  const k = keys.run(run.id);
  for (let before: RunBrief | undefined = run; before !== undefined; ) {
    const earlier = before.outcomes;
    const listed = await redis.hgetall(k.doubts);
    const { counts, doubted } = await countRows(redis, k, run.chunks);
    const asked = {
      counts: OUTCOMES.map((outcome) => [`o:${outcome}`, earlier[outcome], counts[outcome]]),
      wrong: differing(listed, doubted),
      chunks: run.chunks,
      now: new Date().toISOString(),
    };
    const names = [k.record, k.blocks, k.doubts];
    if ((await recount(redis, names, [JSON.stringify(asked)])) === 1) return;
    [before] = await readBriefs(redis, keys, [run.id]);
  }
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
