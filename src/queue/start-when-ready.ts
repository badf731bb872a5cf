/**
 * How BullMQ's objects are opened, past a trap: one whose first question (INFO) Redis answers with an error, BUSY for example, is never ready.
 * A queue refuses every command then, for as long as it lives; a worker, run all the same, spins without letting a timer or a signal
 * through. So queues do not ask, and a worker is run only once it is ready, and opened anew where it never will be.
 */

import { sleep } from '../lib/waiting.ts';

/** A BullMQ worker that was opened with `autorun: false`, or what belongs to it as well. */
type Startable = {
  waitUntilReady(): Promise<unknown>;
  run(): Promise<void>;
};

/**
 * BullMQ's option for a queue that does without the question: it asks for the server's version, which `doctor` and the start of a run judge.
 * Not for workers, who would wait in whole seconds for chunks that were put back.
 */
export const UNASKED = { skipVersionCheck: true } as const;

/** BullMQ's options for a queue that only looks, by a user who may only read: all others note themselves in Redis when they are opened. */
export const LOOKING = { ...UNASKED, skipMetasUpdate: true } as const;

const RETRY_MS = 1_000;

/**
 * Runs what `open` gives as soon as it is ready. Where Redis answers with an error to BullMQ's first question (BUSY, for example),
 * that worker is never ready, and would spin without letting a timer or a signal through if it ran: then it is
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
