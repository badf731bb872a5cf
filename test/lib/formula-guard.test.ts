import fc from 'fast-check';
import { expect, test } from 'vitest';
import { guardCell, unguardCell } from '../../src/lib/formula-guard.ts';

const SIGNS = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/** Text in which the signs that matter are frequent. */
const cell = fc.string({ unit: fc.oneof(fc.constantFrom(...SIGNS, "'"), fc.string({ unit: 'binary' })) });

test.each(SIGNS)('a cell that begins with %j gets one apostrophe', (sign) => {
  expect(guardCell(`${sign}cmd|' /C calc'!A0`)).toBe(`'${sign}cmd|' /C calc'!A0`);
});

test.each(['', 'plain', 'a=b', ' =1', '007', '"=1"', '€'])('the cell %j stays as it is', (text) => {
  expect(guardCell(text)).toBe(text);
});

test('a cell that begins with an apostrophe gets another, so that its own comes back', () => {
  expect(guardCell("'s Gravenhage")).toBe("''s Gravenhage");
  expect(unguardCell("''s Gravenhage")).toBe("'s Gravenhage");
});

test('exactly one apostrophe is taken off', () => {
  expect(["'=1", "''=1", "'''", 'x', ''].map(unguardCell)).toEqual(['=1', "'=1", "''", 'x', '']);
});

test('what was guarded comes back exactly, whatever the cell', () => {
  fc.assert(fc.property(cell, (text) => unguardCell(guardCell(text)) === text));
});

test('a guarded cell never begins with a sign that makes a formula', () => {
  fc.assert(fc.property(cell, (text) => !SIGNS.includes(guardCell(text).charAt(0))));
});
