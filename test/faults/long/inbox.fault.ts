import { expect, test } from 'vitest';
import { killedWatchers, manyFiles, twoWatchers } from '../scenarios/inbox.ts';
import { SEED } from '../support/seed.ts';

test('1,000 small files that come at once are each taken as one run, within a minute', async () => {
  expect(await manyFiles({ files: 1_000, rows: 3 })).toBeLessThan(60);
});

test('two watchers on one folder take each of 300 files once', async () => {
  await twoWatchers({ files: 300, rows: 3 });
});

test(`a watcher killed 20 times leaves nothing undone, torn or done twice (seed ${SEED})`, async () => {
  await killedWatchers({ files: 400, rows: 20, kills: 20, seed: SEED });
});
