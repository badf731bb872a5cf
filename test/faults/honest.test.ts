import { expect, test } from 'vitest';
import { type NaiveWorker, runNaiveWorkers } from './scenarios/naive-workers.ts';
import { allOf } from './support/all-of.ts';
import { SEED } from './support/seed.ts';
import { duplicateProblems } from './support/truth.ts';

const NAIVE: readonly NaiveWorker[] = ['chunk-from-start', 'done-mark'];

// A harness that can't fail proves nothing: these programs are known to create twice.
test(`programs that begin a chunk anew, or mark rows once they are done, create twice when they are killed, and that is seen (seed ${SEED})`, async () => {
  const reports = await allOf(NAIVE, (worker) =>
    runNaiveWorkers({ worker, rows: 1000, kills: 4, seed: SEED }),
  );
  for (const { stats, kills } of reports) {
    expect(kills.length).toBeGreaterThanOrEqual(3);
    expect(stats.duplicateKeys).toBeGreaterThan(0);
    expect(duplicateProblems(stats)).not.toEqual([]);
  }
}, 240_000);
