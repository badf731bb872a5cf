import type { Environment } from '../config/environment.ts';
import { type JobDefinition, type LookupSettings, ratePerSecond } from '../config/job-definition.ts';
import { listJobs, loadJob, loadJobFile } from '../config/load-job.ts';
import { SANDBOX_TARGET, type Service, serviceFromEnvironment } from '../delivery/target.ts';
import { countOf, tell } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import { programVersion } from '../lib/version.ts';
import { sleep } from '../lib/waiting.ts';
import { isOver, type Run } from '../model/run.ts';
import { createClient } from '../service/attempt.ts';
import { createLookUp } from '../service/look-up.ts';
import { backoffMs } from '../service/retry-wait.ts';
import type { Session } from '../session.ts';
import { type LookedUp, lookUpDoubts } from './look-up-doubts.ts';

/**
 * When the service is asked for a run's rows in doubt: at the run's end, where its job has a look-up, or when a person asks for it. Never
 * sooner than the job allows, since a create may still be under way, and never for long.
 */
type LookUpSession = Pick<Session, 'io' | 'ledger'>;

/** How a run's rows are looked up: by its own definition, or by one that was given for it. */
type Way = { readonly service: Service; readonly definition: WithLookUp };
type WithLookUp = Pick<JobDefinition, 'send'> & { readonly lookup: LookupSettings };

/**
 * The look-up at the end of a run, where its definition has one, and the run as it is then. Whatever goes wrong with it,
 * the rows stay in doubt.
 */
export async function lookUpAtEnd(
  run: Run,
  session: LookUpSession & { readonly service: Service },
): Promise<Run> {
  const { io, ledger, service } = session;
  const { store } = ledger.of(run.target);
  const ended = isOver(run) || run.state === 'stopped';
  if (!ended || run.outcomes['in-doubt'] === 0 || io.interrupted.aborted) return run;
  const definition = await store.definition(run.id);
  if (definition?.lookup === undefined) return run;
  if (run.target === SANDBOX_TARGET) {
    tell(io, 'The rows in doubt are not looked up: the stand-in has no look-up.');
    return run;
  }
  try {
    const { lookup } = definition;
    await lookUpRun(
      run,
      lookup.afterSeconds * 1000,
      { service, definition: { ...definition, lookup } },
      session,
    );
  } catch (error) {
    tell(io, `warning: the look-up failed: ${error instanceof Error ? error.message : String(error)}`);
  }
  return (await store.get(run.id)) ?? run;
}

/** Looks the run's rows in doubt up now; a UsageError where it has no look-up, or the environment is of another service. */
export async function lookUpOnDemand(
  run: Run,
  jobFile: string | null,
  session: LookUpSession & Pick<Session, 'env'>,
): Promise<LookedUp> {
  const definition = await definitionWithLookUp(run, jobFile, session);
  const service = lookUpService(run, session.env);
  await service.credentials.current();
  const waitMs = stillToWait(run, definition.lookup.afterSeconds * 1000, new Date());
  const before = run.outcomes['in-doubt'];
  if (before === 0) return { created: 0, notCreated: 0, open: 0, keyless: 0, left: 0 };
  return lookUpRun(run, waitMs, { service, definition }, session);
}

/** The job as it is now, since a look-up is often written once there are rows in doubt; else as the run began with it. */
async function definitionWithLookUp(
  run: Run,
  jobFile: string | null,
  { env, ledger }: Pick<Session, 'env' | 'ledger'>,
): Promise<WithLookUp> {
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

function lookUpService(run: Run, env: Environment): Service {
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

/** A look-up never holds a command longer: what is left then can be asked for again. */
const LIMIT_MS = 10 * 60_000;

/** Asks the service for the run's rows in doubt, `waitMs` from now, and tells what came of it. */
async function lookUpRun(run: Run, waitMs: number, way: Way, session: LookUpSession): Promise<LookedUp> {
  const { io, ledger } = session;
  const { service, definition } = way;
  const settings = definition.lookup;
  const count = run.outcomes['in-doubt'];
  const signal = AbortSignal.any([io.interrupted, AbortSignal.timeout(LIMIT_MS + waitMs)]);
  if (waitMs > 0) {
    const soon = `in ${Math.ceil(waitMs / 1000)} s: a create may still be under way`;
    tell(
      io,
      `${countOf(count, 'row')} in doubt: the service is asked for ${count === 1 ? 'it' : 'them'} ${soon}.`,
    );
    await sleep(waitMs, signal);
  }
  const { concurrency, timeoutSeconds, rate } = definition.send;
  const timeoutMs = timeoutSeconds * 1000;
  const client = createClient({
    baseUrl: service.baseUrl,
    concurrency,
    timeoutMs,
    version: programVersion(),
  });
  // What is under way is broken off with the rest: a look-up changes nothing.
  signal.addEventListener('abort', () => void client.destroy());
  const lookUp = createLookUp({
    settings,
    client,
    credentials: service.credentials,
    waitForRate: createPace(rate),
    backoffMs: (attempt) => backoffMs(attempt, Math.random),
  });
  try {
    const absenceIsProof = settings.absence === 'proof';
    const looked = await lookUpDoubts({ run, lookUp, absenceIsProof, concurrency, signal }, ledger);
    for (const line of lookedUpLines(run, looked)) tell(io, line);
    return looked;
  } finally {
    await client.destroy();
  }
}

/** What a look-up came to, in plain sentences. */
function lookedUpLines(run: Run, looked: LookedUp): string[] {
  const { created, notCreated, open, keyless, left } = looked;
  const asked = created + notCreated + open;
  const lines = [
    `Looked up ${countOf(asked, 'row')} in doubt: ${created} created, ${notCreated} not created, ${open} still in doubt.`,
  ];
  if (keyless > 0) lines.push(`${countOf(keyless, 'row')} without a key can't be looked up.`);
  if (left > 0) {
    lines.push(
      `${countOf(left, 'row')} could not be asked for. To go on: onboard resolve ${run.id} --lookup`,
    );
  }
  return lines;
}

/** Spaces the requests of this process evenly; nobody else sends for the run at its end. */
function createPace(rate: string | undefined): (signal: AbortSignal) => Promise<void> {
  if (rate === undefined) return async () => undefined;
  const intervalMs = 1000 / ratePerSecond(rate);
  let free = 0;
  return async (signal) => {
    const at = Math.max(performance.now(), free);
    free = at + intervalMs;
    await sleep(at - performance.now(), signal);
  };
}
