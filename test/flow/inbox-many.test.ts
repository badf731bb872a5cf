import { test } from 'vitest';
import { killedAtSteps, twoWatchers } from '../faults/scenarios/inbox.ts';

test('a second watcher of a home is refused; one that is killed leaves nothing undone, torn or done twice', async () => {
  await twoWatchers({ files: 40, rows: 3 });
});

test('a watcher that dies at any step of a file through an inbox leaves it to the next one, which takes it to its end once', async () => {
  await killedAtSteps([5, 9, 8, 11, 10]);
});
