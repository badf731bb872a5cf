import { expect, test } from 'vitest';
import { killedAtSteps, manyFiles, twoWatchers } from '../scenarios/inbox.ts';

test('1,000 small files that come at once are each taken as one run, within a minute', async () => {
  expect(await manyFiles({ files: 1_000, rows: 3 })).toBeLessThan(60);
});

test('a second watcher of a home is refused, and one that comes after a kill goes on with 300 files', async () => {
  await twoWatchers({ files: 300, rows: 3 });
});

test('a watcher that dies at any step of a file through an inbox leaves it to the next one, which takes it to its end once', async () => {
  await killedAtSteps(Array.from({ length: 40 }, (_, i) => 1 + Math.floor(i / 2)));
});
