import type { Environment } from '../config/environment.ts';
import type { JobDefinition } from '../config/job-definition.ts';
import { listJobs, loadJob, loadJobFile } from '../config/load-job.ts';
import type { Io } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Run } from '../model/run.ts';
import { type Ledger, type Service, serviceFromEnvironment } from '../session.ts';
import { lookUpRun } from './look-up-run.ts';
import type { Resolved } from './resolve-outcome.ts';
import { SANDBOX_TARGET } from './sandbox-child.ts';

type Desk = { readonly io: Io; readonly env: Environment; readonly ledger: Ledger };

/** Looks the run's rows in doubt up now; a UsageError where it has no look-up, or the environment is of another service. */
export async function lookUpOnDemand(run: Run, jobFile: string | null, desk: Desk): Promise<Resolved> {
  const definition = await definitionWithLookup(run, jobFile, desk);
  const service = serviceOf(run, desk.env);
  await service.credentials.current();
  const waitMs = stillToWait(run, definition.lookup.afterSeconds * 1000, new Date());
  const before = run.outcomes['in-doubt'];
  if (before === 0) return { created: 0, notCreated: 0, unchanged: 0, open: 0, mates: 0, refused: [] };
  const looked = await lookUpRun(run, waitMs, { ...desk, service, definition, settings: definition.lookup });
  const { created, notCreated, open, keyless, left } = looked;
  return { created, notCreated, unchanged: 0, open: open + keyless + left, mates: 0, refused: [] };
}

type WithLookup = JobDefinition & { readonly lookup: NonNullable<JobDefinition['lookup']> };

/** The job as it is now, since a look-up is often written once there are rows in doubt; else as the run began with it. */
async function definitionWithLookup(run: Run, jobFile: string | null, desk: Desk): Promise<WithLookup> {
  const { env, ledger } = desk;
  const candidates =
    jobFile === null
      ? [await currentDefinition(run, env), await ledger.of(run.target).store.definition(run.id)]
      : [(await loadJobFile(jobFile)).definition];
  for (const definition of candidates) {
    if (definition?.lookup !== undefined) return { ...definition, lookup: definition.lookup };
  }
  throw new UsageError(
    `${jobFile ?? `The job ${run.job}`} has no look-up: expected the setting \`lookup\` (path, match, id), or --job-file with a definition that has it.`,
  );
}

async function currentDefinition(run: Run, { jobsDirectory }: Environment): Promise<JobDefinition | null> {
  const known = (await listJobs(jobsDirectory)).includes(run.job);
  return known ? (await loadJob(run.job, jobsDirectory)).definition : null;
}

function serviceOf(run: Run, env: Environment): Service {
  if (run.target === SANDBOX_TARGET)
    throw new UsageError(
      `Run ${run.id} went to the built-in stand-in, which has no look-up: name the rows instead.`,
    );
  const service = serviceFromEnvironment(env);
  if (service.target === run.target) return service;
  throw new UsageError(
    `Run ${run.id} went to ${run.target}, but MSB_BASE_URL is ${service.target}: expected the same service.`,
  );
}

/** When a row came into doubt is not kept: at the latest when its run ended, else perhaps just now. */
function stillToWait(run: Run, afterMs: number, now: Date): number {
  const since = run.finishedAt === null ? 0 : now.getTime() - Date.parse(run.finishedAt);
  return Math.min(afterMs, Math.max(0, afterMs - since));
}
