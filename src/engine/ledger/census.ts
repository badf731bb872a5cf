/**
 * A target's ledger in numbers, for monitoring that reads it every few seconds. A run that is over
 * and has no row in doubt is read only once.
 */
import type { RedisConnection } from '../../lib/redis-connection.ts';
import { exitCodeOf } from '../../model/exit.ts';
import { isOver, pendingRows, type Run } from '../../model/run.ts';
import type { LedgerKeys } from './keys.ts';
import { allBriefs, type RunBrief } from './run-record.ts';

type LastEnd = { readonly endedAt: number; readonly seconds: number; readonly exitCode: number };

/** The first call reads every run, later calls only those that may have changed. */
export function createCensus(redis: RedisConnection, keys: LedgerKeys) {
  const settled = new Map<string, Run['state']>();
  const lastEnds = new Map<string, LastEnd>();
  return async () => {
    forgetLost(settled, await redis.zrange(keys.runs, '0', '-1'));
    const moving: RunBrief[] = [];
    for await (const run of allBriefs(redis, keys, (id) => settled.has(id))) moving.push(run);
    for (const run of moving) {
      enterEnd(lastEnds, run);
      if (isOver(run) && run.outcomes['in-doubt'] === 0) settled.set(run.id, run.state);
    }
    return { ...counted(moving, settled), lastEnds };
  };
}

/** A Redis that went back in time has fewer runs. */
function forgetLost(settled: Map<string, Run['state']>, ids: readonly string[]): void {
  if (settled.size <= ids.length) return;
  const there = new Set(ids);
  for (const id of settled.keys()) if (!there.has(id)) settled.delete(id);
}

function counted(moving: readonly RunBrief[], settled: ReadonlyMap<string, Run['state']>) {
  const states = new Map<Run['state'], number>();
  const pending = new Map<string, number>();
  const inDoubt = new Map<string, number>();
  for (const state of settled.values()) add(states, state, 1);
  for (const run of moving) {
    if (!settled.has(run.id)) add(states, run.state, 1);
    // A cancelled run's rows count as pending until they are wound up.
    add(pending, run.job, pendingRows(run));
    add(inDoubt, run.job, run.outcomes['in-doubt']);
  }
  return { states, pendingRows: pending, inDoubt };
}

function add<Name>(counts: Map<Name, number>, name: Name, count: number): void {
  counts.set(name, (counts.get(name) ?? 0) + count);
}

function enterEnd(lastEnds: Map<string, LastEnd>, run: RunBrief): void {
  if (!isOver(run) || run.finishedAt === null) return;
  const endedAt = Date.parse(run.finishedAt) / 1000;
  if ((lastEnds.get(run.job)?.endedAt ?? 0) > endedAt) return;
  const seconds = run.startedAt === null ? 0 : endedAt - Date.parse(run.startedAt) / 1000;
  lastEnds.set(run.job, { endedAt, seconds, exitCode: exitCodeOf(run) });
}

/** Processes that send, and those that only read and follow runs. */
export async function countWorkers(redis: RedisConnection, { epoch }: LedgerKeys): Promise<number> {
  return (await redis.hkeys(epoch)).filter((field) => field.startsWith('m:')).length;
}
