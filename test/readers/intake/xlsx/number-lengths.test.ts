import { expect, test } from 'vitest';
import { createLengthLook } from '../../../../src/readers/intake/xlsx/number-lengths.ts';

test('columns of whole numbers of different lengths are known by their position', () => {
  const look = createLengthLook();
  const rows = [
    ['1001', '12', '1.5', 'a'],
    ['1002', '7', '12', 'bc'],
  ];
  for (const [i, texts] of rows.entries()) {
    const cells = texts.map((text, column) => {
      return { kind: /^[\d.]+$/.test(text) ? ('number' as const) : ('text' as const), column, text };
    });
    look.see({ line: i + 2, hidden: false, cells });
  }
  expect(look.found()).toEqual([1]);
});
