import { expect, test } from 'vitest';
import { type NaiveWorker, runNaiveWorkers } from './scenarios/naive-workers.ts';
import { SEED } from './support/seed.ts';
import { duplicateProblems } from './support/truth.ts';

// A harness that can't fail proves nothing: these programs are known to create twice.
test.each<NaiveWorker>(['chunk-from-start', 'done-mark'])(
  `%s: killed again and again, it creates twice, and that is seen (seed ${SEED})`,
  async (worker) => {
    const { stats, kills } = await runNaiveWorkers({ worker, rows: 1000, kills: 4, seed: SEED });
    expect(kills.length).toBeGreaterThanOrEqual(3);
    process.stderr.write(`${worker}: ${stats.duplicateKeys} keys of 1000 made more than once\n`);
    expect(stats.duplicateKeys).toBeGreaterThan(0);
    expect(duplicateProblems(stats)).not.toEqual([]);
  },
  240_000,
);
