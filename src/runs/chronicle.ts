/**
 * Keeps the history of a run while it is followed, by the process that reads it and no other: its counters once a second, and how the
 * service did. Nothing waits for it, and a Redis that does not take it loses a piece of a picture.
 */
import { addToStory, keepPulse } from '../ledger/history.ts';
import type { Happening } from '../model/history.ts';
import { isOver, type Run } from '../model/run.ts';
import type { Ledger } from '../session.ts';

export type Chronicle = {
  /** To be told of the run at each look. */
  look(run: Run, isReader: boolean): void;
  /** To be told when the service does better or worse. */
  turned(what: Happening['what'], why: string): void;
};

const EVERY_MS = 1_000;

export function createChronicle(
  { id, target }: Pick<Run, 'id' | 'target'>,
  { redis, of }: Pick<Ledger, 'redis' | 'of'>,
  now: () => number = Date.now,
): Chronicle {
  const k = of(target).keys.run(id);
  let last = Number.NEGATIVE_INFINITY;
  let seen = '';
  let reads = false;
  return {
    look(run, isReader) {
      reads = isReader;
      const state = JSON.stringify([run.state, run.outcomes]);
      // At its end at once: nobody looks any more.
      if (!isReader || state === seen || (now() - last < EVERY_MS && !isOver(run))) return;
      last = now();
      seen = state;
      keepPulse(redis, k, run, last).catch(() => undefined);
    },
    turned(what, why) {
      if (reads) addToStory(redis, k, { at: now(), what, why, by: '' }).catch(() => undefined);
    },
  };
}
