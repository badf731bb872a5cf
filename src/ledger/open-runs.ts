import type { RedisConnection } from '../lib/redis-connection.ts';
import { openRows, type RunState } from '../model/run.ts';
import type { LedgerKeys } from './keys.ts';
import type { RunStore } from './run-store.ts';

const OVER: readonly RunState[] = ['finished', 'cancelled'];
const RUNS_PER_LOOK = 500;

/**
 * Whether jobs that come after a run's job (`after`) wait for it: until it is finished or given up, whatever holds it. What
 * comes later builds on what the run has yet to create, so a run that is paused or stopped is waited for as one that moves.
 */
export function isOpenRun(state: string | null | undefined): boolean {
  return !OVER.some((over) => over === state);
}

/** Ids of the runs of these jobs that are open, however many there are, oldest first. */
export async function openRunsOf(
  redis: RedisConnection,
  keys: LedgerKeys,
  jobs: ReadonlySet<string>,
): Promise<readonly string[]> {
  if (jobs.size === 0) return [];
  const ids = await redis.zrange(keys.runs, '0', '-1');
  const open: string[] = [];
  for (let at = 0; at < ids.length; at += RUNS_PER_LOOK) {
    const part = ids.slice(at, at + RUNS_PER_LOOK);
    const found = await Promise.all(part.map((id) => redis.hmget(keys.run(id).record, 'job', 'state')));
    open.push(
      ...part.filter((_, i) => {
        const [job = null, state] = found[i] ?? [];
        return job !== null && jobs.has(job) && isOpenRun(state);
      }),
    );
  }
  return open;
}

/** Ids of all runs with rows that have no outcome yet, whatever their state, oldest first. */
export async function runsWithOpenRows(
  redis: RedisConnection,
  keys: LedgerKeys,
  { get }: Pick<RunStore, 'get'>,
): Promise<readonly string[]> {
  const ids = await redis.zrange(keys.runs, '0', '-1');
  const open: string[] = [];
  for (let at = 0; at < ids.length; at += RUNS_PER_LOOK) {
    const runs = await Promise.all(ids.slice(at, at + RUNS_PER_LOOK).map(get));
    for (const run of runs) if (run !== null && openRows(run) > 0) open.push(run.id);
  }
  return open;
}
