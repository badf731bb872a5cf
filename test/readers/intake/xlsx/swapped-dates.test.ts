import { expect, test } from 'vitest';
import { createSwapLook } from '../../../../src/readers/intake/xlsx/swapped-dates.ts';

function swappedIn(words: string): readonly number[] {
  const look = createSwapLook();
  for (const [i, text] of words.split(' ').entries()) {
    const kind = /^\d{4}-/.test(text) ? 'date' : 'text';
    look.see({ line: i + 1, hidden: false, cells: [{ kind, text, column: 1 }] });
  }
  return look.found();
}

test.each([
  [true, 'Since 13/04/2015 2015-04-03 31/12/2012 2012-12-01'],
  [true, '04/13/2015 2015-04-03 12/31/2012 2012-12-01'],
  [true, '13.4.15 2015-04-03 31-12-2012 2012-12-01T09:30'],
  [false, '2015-04-03 2012-12-01 2012-12-02'],
  [false, '13/04/2015 2015-04-03 31/12/2012 2012-12-01 2012-12-13'],
  [false, '13/04/2015 31/12/2012 2012-12-01'],
  [false, '13/14/2015 32/04/2015 03/04/2015 13/04/201 2015-04-03 2012-12-01'],
])('Excel took days for months (%s) in %s', (isSwapped, words) => {
  expect(swappedIn(words)).toEqual(isSwapped ? [1] : []);
});
