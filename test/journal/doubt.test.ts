import { expect, test } from 'vitest';
import { intent, type OwnJournal, ownJournal, readAll } from './sample-journal.ts';

type Entry = readonly [chunk: number, row: number, outcome: string, ...rest: unknown[]];

function entry(outcome: string): Entry {
  const accepted = outcome === 'created' ? 1 : 0;
  return [1, 1, outcome, 'settlement', 'bucket', 'digest', '', '', '', '', '', 'i a 1', accepted, 1];
}

const settled = (outcome: string) =>
  ({ kind: 'settled', run: 'r1', entries: JSON.stringify([entry(outcome)]) }) as const;

async function lastWord({ folder, journal }: OwnJournal): Promise<unknown> {
  const { settled: words } = await readAll(folder, journal.worker);
  return words.get('r1 1 1')?.[2];
}

test.each([
  ['created', 'in-doubt', 'created'],
  ['rejected', 'in-doubt', 'rejected'],
  ['in-doubt', 'created', 'created'],
  ['in-doubt', 'in-doubt', 'in-doubt'],
])('a row %s, then %s, is %s', async (first, second, word) => {
  const own = await ownJournal();
  await own.journal.write({ kind: 'intended', run: 'r1', rows: [intent(1, 1)] });
  await own.journal.write(settled(first));
  await own.journal.write(settled(second));
  expect(await lastWord(own)).toBe(word);
});
