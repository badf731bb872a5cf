import { expect, test } from 'vitest';
import { withoutName } from '../../src/inbox/sender-words.ts';

test.each([
  ['a.csv: is empty: expected a CSV file', 'it is empty: expected a CSV file'],
  ['a.csv: the quote opened on line 2 is not closed', 'the quote opened on line 2 is not closed'],
  ['b.csv: is empty', 'b.csv: is empty'],
  ['column "x": unknown', 'column "x": unknown'],
])('of %j its sender, who knows the name, reads %j', (why, words) => {
  expect(withoutName(why, 'a.csv')).toBe(words);
});
