/**
 * Opens BullMQ's objects past a trap: one whose first question (INFO) Redis answers with an error,
 * such as BUSY, is never ready. Then a queue refuses every command for ever; a worker that runs
 * spins without letting a timer or a signal through. So queues skip the question, and a worker runs
 * only once it is ready, and is opened anew where it never will be.
 */

import { sleep } from '../lib/waiting.ts';

/** A BullMQ worker opened with `autorun: false`, with or without its attachments. */
type Startable = {
  waitUntilReady(): Promise<unknown>;
  run(): Promise<void>;
};

/**
 * For queues: skips the server's version, which `doctor` and a run's start judge. Not for workers:
 * they would wait whole seconds for chunks that were put back.
 */
export const UNASKED = { skipVersionCheck: true } as const;

/** For a queue that only looks, by a user who may only read: others write themselves into Redis. */
export const LOOKING = { ...UNASKED, skipMetasUpdate: true } as const;

const RETRY_MS = 1_000;

/** One that never will be ready goes to `discard`, and another is opened a second later. */
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
