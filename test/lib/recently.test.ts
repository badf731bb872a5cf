import { expect, test } from 'vitest';
import { recently } from '../../src/lib/recently.ts';

/** What is worked out, and for which texts it was. */
function shouting(count: number) {
  const worked: string[] = [];
  const shout = recently((text) => {
    worked.push(text);
    return text.toUpperCase();
  }, count);
  return { shout, worked };
}

test('what was worked out for a text is not worked out again soon', () => {
  const { shout, worked } = shouting(2);
  expect(['a', 'b', 'a', 'b', 'a'].map(shout)).toEqual(['A', 'B', 'A', 'B', 'A']);
  expect(worked).toEqual(['a', 'b']);
});

test('as many as asked for are remembered, and no more than twice as many', () => {
  const { shout, worked } = shouting(2);
  expect(['a', 'b', 'c', 'b'].map(shout)).toEqual(['A', 'B', 'C', 'B']);
  expect(worked).toEqual(['a', 'b', 'c']);
  expect(['d', 'e', 'a'].map(shout)).toEqual(['D', 'E', 'A']);
  expect(worked).toEqual(['a', 'b', 'c', 'd', 'e', 'a']);
});
