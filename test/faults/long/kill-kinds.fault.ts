import { test } from 'vitest';
import { KINDS, killKinds } from '../scenarios/kill-kinds.ts';
import { SEED, shareOf } from '../support/seed.ts';

test.each(KINDS)(
  `%s: 2,400 rows, while one of two workers is killed 20 times: nothing twice, lost or torn (seed ${SEED})`,
  async (kind) => {
    const counts = { rows: shareOf(2_400), kills: shareOf(20) };
    await killKinds({ ...counts, kind, requestsMax: 60, latencyMs: 100, seed: SEED });
  },
);
