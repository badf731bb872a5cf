import fc from 'fast-check';
import { expect, test } from 'vitest';
import { guardCell, unguardCell } from '../../src/lib/formula-guard.ts';

const SIGNS = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];
const SEPARATORS = [',', ';', '\t', '|', '\r', '\n'];

/** Text in which the signs that matter are frequent. */
const cell = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...SIGNS, ...SEPARATORS, "'", '"', ' ', '\u00a0', '\u200b', '\u0000'),
    fc.string({ unit: 'binary' }),
  ),
});

test.each([...SIGNS, '\t', '\r', '\n'])('a cell that begins with %j gets one apostrophe', (sign) => {
  expect(guardCell(`${sign}cmd/C calc!A0`)).toBe(`'${sign}cmd/C calc!A0`);
});

test.each([
  ['x;=cmd', "x;'=cmd"],
  ['x,+1,-1|@y\t=z', "x,'+1,'-1|'@y\t'=z"],
  ['two\nlines\r=1\r\n=2', "two\nlines\r'=1\r\n'=2"],
  [' =1', "' =1"],
  ['"=1"', '\'"=1"'],
  ['x; "\u00a0\u200b\u0000"=1', 'x;\' "\u00a0\u200b\u0000"=1'],
  ["x;'=1", "x;''=1"],
  ['Sep=;', "'Sep=;"],
])('given %j, writes %j', (text, guarded) => {
  expect(guardCell(text)).toBe(guarded);
});

test.each(['', 'plain', 'a=b', '007', '€', "O'Neill; Sons, 3 - 4 | x", 'a; b,\nc', '1,5', 'a"=b'])(
  'the cell %j stays as it is',
  (text) => {
    expect(guardCell(text)).toBe(text);
  },
);

test('a cell that begins with an apostrophe gets another, so that its own comes back', () => {
  expect(guardCell("'s Gravenhage")).toBe("''s Gravenhage");
  expect(unguardCell("''s Gravenhage")).toBe("'s Gravenhage");
});

test('exactly one apostrophe is taken off each beginning', () => {
  const cells = ["'=1", "''=1", "'''", 'x', '', "'=1;''=2", "it's; 'so'"];
  expect(cells.map(unguardCell)).toEqual(['=1', "'=1", "''", 'x', '', "=1;'=2", "it's; 'so'"]);
});

test('what was guarded comes back exactly, whatever the cell', () => {
  fc.assert(fc.property(cell, (text) => unguardCell(guardCell(text)) === text));
});

/** Of this process, not of a busy machine; in time that grows with the square it is minutes. */
const MOST_CPU_MS = 1_000;

test.each(['\t', ' ', '" ', ';"', "';", '\u200b', '\r\n'])(
  'given a cell of many %j, takes no time that grows with their square',
  (text) => {
    const long = text.repeat(200_000);
    const begin = process.cpuUsage();
    expect(unguardCell(guardCell(long)) === long).toBe(true);
    expect(process.cpuUsage(begin).user / 1_000).toBeLessThan(MOST_CPU_MS);
  },
);
