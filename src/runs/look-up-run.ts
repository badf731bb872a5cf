import { type JobDefinition, type LookupSettings, ratePerSecond } from '../config/job-definition.ts';
import { countOf, type Io, tell } from '../lib/terminal.ts';
import { programVersion } from '../lib/version.ts';
import { sleep } from '../lib/waiting.ts';
import { isOver, type Run } from '../model/run.ts';
import { createClient } from '../service/attempt.ts';
import { createLookUp } from '../service/look-up.ts';
import { backoffMs } from '../service/retry-wait.ts';
import type { Ledger, Service } from '../session.ts';
import { type LookedUp, lookUpDoubts } from './look-up-doubts.ts';
import { SANDBOX_TARGET } from './sandbox-child.ts';

/** A look-up never holds a command longer: what is left then can be asked for again. */
const LIMIT_MS = 10 * 60_000;

type LookUpDesk = {
  readonly io: Io;
  readonly ledger: Ledger;
  readonly service: Service;
  readonly definition: Pick<JobDefinition, 'send'>;
  readonly settings: LookupSettings;
};

/** Asks the service for the run's rows in doubt, `waitMs` from now, and tells what came of it. */
export async function lookUpRun(run: Run, waitMs: number, desk: LookUpDesk): Promise<LookedUp> {
  const { io, ledger, service, definition, settings } = desk;
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
    const looked = await lookUpDoubts({
      redis: ledger.redis,
      keys: ledger.of(run.target).keys,
      run,
      lookUp,
      absenceIsProof: settings.absence === 'proof',
      concurrency,
      now: () => new Date(),
      signal,
    });
    for (const line of lookedUpLines(run, looked)) tell(io, line);
    return looked;
  } finally {
    await client.destroy();
  }
}

/**
 * The look-up at the end of a run, where its definition has one, and the run as it is then. Whatever goes wrong with it,
 * the rows stay in doubt.
 */
export async function lookUpAtEnd(run: Run, desk: Omit<LookUpDesk, 'definition' | 'settings'>): Promise<Run> {
  const { io, ledger } = desk;
  const { store } = ledger.of(run.target);
  const ended = isOver(run) || run.state === 'stopped';
  if (!ended || run.outcomes['in-doubt'] === 0 || io.interrupted.aborted) return run;
  const definition = await store.definition(run.id);
  const settings = definition?.lookup;
  if (definition === null || settings === undefined) return run;
  if (run.target === SANDBOX_TARGET) {
    tell(io, 'The rows in doubt are not looked up: the stand-in has no look-up.');
    return run;
  }
  try {
    await lookUpRun(run, settings.afterSeconds * 1000, { ...desk, definition, settings });
  } catch (error) {
    tell(io, `warning: the look-up failed: ${error instanceof Error ? error.message : String(error)}`);
  }
  return (await store.get(run.id)) ?? run;
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
