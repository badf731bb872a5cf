import { isOpenRun, openRunsOf } from '../ledger/open-runs.ts';
import { type Io, tell } from '../lib/terminal.ts';
import { sleep } from '../lib/waiting.ts';
import type { Run } from '../model/run.ts';
import type { Ledger } from '../session.ts';
import { goingOnWith, stateOf } from './run-state.ts';

const POLL_MS = 500;

/**
 * Resolves when no run of these jobs is under way in the target's ledger; each that is waited for is named once in each
 * state. False: interrupted.
 */
export async function waitForJobs(
  jobs: readonly string[],
  {
    ledger,
    target,
    io,
  }: { readonly ledger: Pick<Ledger, 'redis' | 'of'>; readonly target: string; readonly io: Io },
): Promise<boolean> {
  const { keys, store } = ledger.of(target);
  const told = new Set<string>();
  let open = await openRunsOf(ledger.redis, keys, new Set(jobs));
  while (open.length > 0) {
    const runs = (await Promise.all(open.map(store.get))).filter((run) => run !== null);
    const waiting = runs.filter((run) => isOpenRun(run.state));
    for (const run of waiting) {
      const words = wordsFor(run, await store.hasLease(run.id));
      if (!told.has(words)) tell(io, words);
      told.add(words);
    }
    if (io.interrupted.aborted) return false;
    if (waiting.length > 0) await sleep(POLL_MS, io.interrupted);
    // All runs are looked through again only once these are over.
    open =
      waiting.length > 0 ? waiting.map(({ id }) => id) : await openRunsOf(ledger.redis, keys, new Set(jobs));
  }
  return true;
}

function wordsFor(run: Run, leased: boolean): string {
  const state = stateOf(run, leased);
  const goOn = goingOnWith(run, state);
  const words = `Waiting for run ${run.id} of ${run.job} (${state.words}): this job comes after that one.`;
  return goOn === null
    ? words
    : `${words}\nTo go on with it: ${goOn}\n  or give it up: onboard cancel ${run.id}`;
}
