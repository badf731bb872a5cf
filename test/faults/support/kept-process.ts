import type { Ended, Started } from '../../support/flow.ts';

/** A command that is started again whenever the test kills it. */
export type KeptProcess = {
  /** SIGKILL, and once it is gone the same command again. */
  kill(): Promise<void>;
  /** SIGKILL, or that signal; resolves once it is gone. Until `revive` it stays so, and its `ownEnd` is not that. */
  end(signal?: NodeJS.Signals): Promise<void>;
  /** Starts an ended one again. */
  revive(): void;
  /** Its present life. */
  current(): Started;
  /** Resolves when it ends by itself. */
  readonly ownEnd: Promise<Ended>;
};

/** Starts it, and keeps it; `start` is called for every life. */
export function keepProcess(start: () => Started): KeptProcess {
  let current = start();
  let restarted = Promise.resolve();
  let revive = () => {};
  const killed = new WeakSet<Started>();

  const end = async (signal: NodeJS.Signals = 'SIGKILL') => {
    const victim = current;
    killed.add(victim);
    restarted = new Promise((resolve) => {
      revive = () => {
        current = start();
        resolve();
      };
    });
    victim.child.kill(signal);
    await victim.ended;
  };
  const ownEnd = async () => {
    for (;;) {
      const watched = current;
      const ended = await watched.ended;
      if (!killed.has(watched)) return ended;
      await restarted;
    }
  };

  return {
    async kill() {
      await end();
      revive();
    },
    end,
    revive: () => revive(),
    current: () => current,
    ownEnd: ownEnd(),
  };
}
