import type { Run } from '../model/run.ts';
import { writeSummary } from '../report/report.ts';

/** Keeps `summary.json` fresh while a run is running. */
type SummaryTicker = {
  update(run: Run): void;
  /** Resolves when the last writing is done: the whole report is written after it. */
  stop(): Promise<void>;
};

const EVERY_MS = 2_000;

export function createSummaryTicker(directory: string, now: () => number): SummaryTicker {
  let last = Number.NEGATIVE_INFINITY;
  let writing: Promise<unknown> = Promise.resolve();
  let idle = true;
  return {
    update(run) {
      if (!idle || now() - last < EVERY_MS) return;
      last = now();
      idle = false;
      writing = writeSummary({ run, directory, now: () => new Date() }).finally(() => {
        idle = true;
      });
      // A full disk must not stop the sending; the report at the end says it.
      writing.catch(() => undefined);
    },
    async stop() {
      await Promise.allSettled([writing]);
    },
  };
}
