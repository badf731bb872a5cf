import { expect, test } from 'vitest';
import { createTokenBook } from '../../src/sandbox/token-book.ts';

const FOR_EVER = { ttlMs: null, requests: null } as const;

test.each([
  [undefined, false],
  ['Bearer ', false],
  ['Bearer b', false],
  ['Basic a', false],
  ['a', false],
  ['Bearer a', true],
  ['bearer a', true],
])('the header %s is admitted: %s', (header, admitted) => {
  expect(createTokenBook(['a'], FOR_EVER).admits(header)).toBe(admitted);
});

test('a token ends after its requests, others go on', () => {
  const book = createTokenBook(['a', 'b'], { ttlMs: null, requests: 2 });
  const admitted = ['a', 'a', 'a', 'b'].map((token) => book.admits(`Bearer ${token}`));
  expect(admitted).toEqual([true, true, false, true]);
  expect(book.uses().map(({ valid, requests }) => `${valid} ${requests}`)).toEqual(['false 2', 'true 1']);
});

test('a token ends when its time since its first use is over', () => {
  let now = 1000;
  const book = createTokenBook(['a'], { ttlMs: 500, requests: null }, () => now);
  now = 5000;
  expect(book.admits('Bearer a')).toBe(true);
  now = 5499;
  expect(book.admits('Bearer a')).toBe(true);
  now = 5500;
  expect(book.admits('Bearer a')).toBe(false);
});

test('a token can be taken back, and given out as good as new', () => {
  const book = createTokenBook(['a'], { ttlMs: null, requests: 1 });
  book.admits('Bearer a');
  book.set('a', true);
  expect(book.admits('Bearer a')).toBe(true);
  book.set('a', false);
  expect(book.admits('Bearer a')).toBe(false);
  book.set('new', true);
  expect(book.admits('Bearer new')).toBe(true);
});
