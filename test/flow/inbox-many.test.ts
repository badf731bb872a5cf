import { test } from 'vitest';
import { killedWatchers, manyFiles, twoWatchers } from '../faults/scenarios/inbox.ts';
import { SEED } from '../faults/support/seed.ts';

test('many small files that come at once are each taken as one run', async () => {
  await manyFiles({ files: 40, rows: 3 });
});

test('two watchers on one folder take each file once', async () => {
  await twoWatchers({ files: 48, rows: 3 });
});

test(`a watcher that is killed leaves nothing undone, torn or done twice (seed ${SEED})`, async () => {
  await killedWatchers({ files: 24, rows: 10, kills: 3, seed: SEED });
});
