/** Runs that somebody at the page has begun or let go on: executed in this process beside what it does already, and left where it ends. */
import { sharedIo } from '../inbox/watcher.ts';
import { messageOf } from '../lib/errors.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { TargetSession } from '../session.ts';

/** `begun`: to be called once nothing stands in the way any more, with the run that it is. */
type Work = (session: TargetSession, begun: (run: string) => void) => Promise<unknown>;

export type Errands = {
  /** Resolves with the run once it has begun, or with `null` where it is over by then; rejects where it can't begin. */
  begin(name: string, work: Work): Promise<string | null>;
  /** Nobody waits for it. */
  follow(name: string, work: (session: TargetSession) => Promise<unknown>): void;
};

const AT_ONCE = 8;

export function createErrands(session: TargetSession): Errands {
  const { io, log, releasers } = session;
  const under = new Map<string, Promise<void>>();
  // Several of them share the terminal.
  const quiet = { ...session, io: sharedIo(io) };
  releasers.push(async () => void (await Promise.allSettled(under.values())));

  function start(name: string, work: Promise<unknown>): Promise<void> {
    const ended = work.then(() => undefined).finally(() => under.delete(name));
    // Told to whoever waits for it to begin; later there is nobody but the log.
    const kept = ended.catch((error: unknown) =>
      log.warn('a run begun at the page', { run: name, problem: messageOf(error) }),
    );
    under.set(name, kept);
    return ended;
  }

  return {
    begin(name, work) {
      if (under.has(name))
        throw new UsageError('That is under way already: look at the run, and ask again when it has ended.');
      if (under.size >= AT_ONCE)
        throw new UsageError(
          `${AT_ONCE} runs were begun here and are under way: expected one of them to end first.`,
        );
      return new Promise((resolve, reject) => {
        start(name, work(quiet, resolve)).then(() => resolve(null), reject);
      });
    },
    follow(name, work) {
      if (!under.has(name)) start(name, work(quiet)).catch(() => undefined);
    },
  };
}
