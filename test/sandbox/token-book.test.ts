import { expect, test } from 'vitest';
import { createTokenBook } from '../../src/sandbox/token-book.ts';

test.each([
  [undefined, false],
  ['Bearer ', false],
  ['Bearer b', false],
  ['Basic a', false],
  ['a', false],
  ['Bearer a', true],
  ['bearer a', true],
])('the header %s is admitted: %s', (header, admitted) => {
  expect(createTokenBook(['a']).admits(header)).toBe(admitted);
});

test('the uses of each token are counted, without the tokens', () => {
  const book = createTokenBook(['a', 'b']);
  for (const token of ['a', 'a', 'b']) book.admits(`Bearer ${token}`);
  book.set('b', false);
  book.admits('Bearer b');
  expect(book.uses()).toEqual([
    { valid: true, requests: 2 },
    { valid: false, requests: 0 },
  ]);
});

test('a token can be taken back, and given out as good as new', () => {
  const book = createTokenBook(['a']);
  book.set('a', false);
  expect(book.admits('Bearer a')).toBe(false);
  book.set('new', true);
  expect(book.admits('Bearer new')).toBe(true);
});
