import { jobsBefore } from '../config/job-definition.ts';
import type { RunStore } from '../ledger/run-store.ts';
import type { FoundClaim } from './claims.ts';
import type { InboxDesk } from './desk.ts';

/** Runs that are looked through: older ones are over, or somebody knows of them. */
const RUNS_MAX = 200;

/** Job → what of it is under way, of the jobs that others wait for. */
export async function busyJobs(
  desk: InboxDesk,
  mine: ReadonlyMap<string, string>,
  others: readonly FoundClaim[],
): Promise<ReadonlyMap<string, string>> {
  const { ledger, service } = desk.runs;
  const asked = new Set(desk.book.jobs().flatMap(({ definition }) => jobsBefore(definition)));
  if (asked.size === 0) return new Map();
  const claimed = others.flatMap(({ info }) =>
    info === null ? [] : [[info.job, `${info.path} is under way`] as const],
  );
  return new Map([...(await runningJobs(ledger.of(service.target).store)), ...claimed, ...mine]);
}

/** Job → a run of it that is queued or running. */
export async function runningJobs(store: RunStore): Promise<ReadonlyMap<string, string>> {
  const runs = await store.list(RUNS_MAX);
  const under = runs.filter(({ state }) => state === 'queued' || state === 'running');
  return new Map(under.map(({ job, id, state }) => [job, `run ${id} is ${state}`]));
}
