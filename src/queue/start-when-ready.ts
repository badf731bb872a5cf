/**
 * How BullMQ's workers are started, past a trap: one whose first question Redis answers with an error is never ready and, run all the same,
 * would spin without letting a timer or a signal through.
 */

import { sleep } from '../lib/waiting.ts';

/** A BullMQ worker that was opened with `autorun: false`, or what belongs to it as well. */
type Startable = {
  waitUntilReady(): Promise<unknown>;
  run(): Promise<void>;
};

const RETRY_MS = 1_000;

/**
 * Runs what `open` gives as soon as it is ready. Where Redis answers with an error to BullMQ's first question (BUSY, for example),
 * that worker is never ready, and would spin without letting a timer or a signal through if it ran (FACTS.md): then it is
 * closed by `discard`, and another one opened a second later.
 */
export function startWhenReady<T extends Startable>(options: {
  readonly open: () => T;
  readonly discard: (opened: T) => Promise<unknown>;
  readonly onError: (error: Error) => void;
}): {
  /** What was opened last. */
  current(): T;
  /** Nothing more is opened or run. */
  stop(): void;
} {
  const { open, discard, onError } = options;
  let current = open();
  let isStopped = false;
  const start = async () => {
    while (!(await isReady(current))) {
      await discard(current);
      await sleep(RETRY_MS);
      if (isStopped) return;
      current = open();
    }
    if (!isStopped) await current.run();
  };
  void start().catch(onError);
  return {
    current: () => current,
    stop() {
      isStopped = true;
    },
  };
}

function isReady(startable: Startable): Promise<boolean> {
  return startable.waitUntilReady().then(
    () => true,
    () => false,
  );
}
