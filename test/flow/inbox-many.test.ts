import { test } from 'vitest';
import { killedWatchers, twoWatchers } from '../faults/scenarios/inbox.ts';
import { SEED } from '../faults/support/seed.ts';

test(`two watchers on one folder take each file once; one that is killed leaves nothing undone, torn or done twice (seed ${SEED})`, async () => {
  await Promise.all([
    twoWatchers({ files: 40, rows: 3 }),
    killedWatchers({ files: 24, rows: 10, kills: 2, seed: SEED }),
  ]);
});
