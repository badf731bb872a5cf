import { expect, test } from 'vitest';
import { intended, intent, type OwnJournal, ownJournal, readAll, settled } from './sample-journal.ts';

async function lastWord({ folder, journal }: OwnJournal): Promise<unknown> {
  const { settled: words } = await readAll(folder, journal.worker);
  return words.get('r1 1 1')?.outcome;
}

test.each([
  ['created', 'in-doubt', 'created'],
  ['rejected', 'in-doubt', 'rejected'],
  ['in-doubt', 'created', 'created'],
  ['in-doubt', 'in-doubt', 'in-doubt'],
])('a row %s, then %s, is %s', async (first, second, word) => {
  const own = await ownJournal();
  await own.journal.write(intended('r1', intent(1, 1)));
  await own.journal.write(settled('r1', [1, 1, first]));
  await own.journal.write(settled('r1', [1, 1, second]));
  expect(await lastWord(own)).toBe(word);
});
