import { expect, test } from 'vitest';
import { countOf } from '../../src/lib/count-of.ts';

test.each([
  [0, '0 rows'],
  [1, '1 row'],
  [2, '2 rows'],
])('%i of them read as %s', (n, words) => expect(countOf(n, 'row')).toBe(words));

test('a plural of its own is given', () => {
  expect([countOf(1, 'entry', 'entries'), countOf(3, 'entry', 'entries')]).toEqual(['1 entry', '3 entries']);
});
