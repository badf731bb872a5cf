/**
 * Runs that a refused token paused go on by themselves once its source gives
 * another one: whoever renews it may be hours late. One row goes first, since
 * the new one may be refused as well.
 */

import { messageOf } from '../lib/errors.ts';
import { tell } from '../lib/terminal.ts';
import { sleep } from '../lib/waiting.ts';
import type { Run } from '../model/run.ts';
import type { TargetSession } from '../session.ts';
import { resumeRun } from './control.ts';

type Watching = { readonly session: TargetSession; readonly once: boolean };

/** Until the process ends, which waits for the runs that go on. */
export async function goOnAtNewTokens({ session, once }: Watching): Promise<void> {
  const { io, times, releasers } = session;
  if (once) return;
  const under = new Map<string, Promise<void>>();
  releasers.push(async () => void (await Promise.all(under.values())));
  while (!io.interrupted.aborted) {
    await sleep(times.pausedTokenMs, io.interrupted);
    const runs = await runsToGoOn(session).catch(() => []);
    for (const run of runs) {
      if (io.interrupted.aborted || under.has(run.id)) continue;
      const going = goOn(run, session).finally(() => under.delete(run.id));
      under.set(run.id, going);
    }
  }
}

async function runsToGoOn({ ledger, service }: TargetSession): Promise<readonly Run[]> {
  const { store } = ledger.of(service.target);
  const waiting = await store.pausedForToken();
  if (waiting.length === 0) return [];
  if (!(await service.credentials.mayBeAnother())) return [];
  await store.tryOne('The token is another one');
  return waiting;
}

async function goOn(run: Run, session: TargetSession): Promise<void> {
  const { id } = run;
  const { io, log } = session;
  tell(io, `There is another token: run ${id} goes on, with one row first.`);
  try {
    await resumeRun(run, session);
  } catch (error) {
    const problem = messageOf(error);
    log.warn('a run that waited for a token', { run: id, problem });
  }
}
