import { describe, expect, test } from 'vitest';
import type { FieldSource } from '../../src/config/job-definition.ts';
import { bodyOf, cells, compileCsv } from './catalog.ts';

/** What a field gets from a cell that a workbook holds as a number, a date or a boolean. */
function typed(field: string, source: FieldSource, cell: string): unknown {
  const mapping = compileCsv(['X', 'name'], { fields: { [field]: source } });
  return bodyOf(mapping.map({ ...cells(cell, 'y'), typed: [0] }));
}

describe("a workbook's number is read in plain notation, whatever the definition's signs", () => {
  const german = { column: 'X', decimal: ',' } as const;

  test.each([
    ['1.234', 1.234],
    ['1234.56', 1234.56],
    ['-0.5', -0.5],
    ['1000', 1000],
  ])('%s', (cell, volume) => {
    expect(typed('kyc.volume', german, cell)).toEqual({ kyc: { volume }, name: 'y' });
  });

  test('text with the same characters is read with them', () => {
    const mapping = compileCsv(['X'], { fields: { 'kyc.volume': german } });
    expect(bodyOf(mapping.map(cells('1.234')))).toEqual({ kyc: { volume: 1234 } });
  });

  test('a fraction is no whole number', () => {
    const grouped = { column: 'X', decimal: ',' } as const;
    expect(typed('kyc.payments', grouped, '1.234')).toEqual(['cell_not_convertible X "1.234"']);
    expect(typed('kyc.payments', grouped, '1234')).toEqual({ kyc: { payments: 1234 }, name: 'y' });
  });
});

describe("a workbook's date is read as such, whatever the definition's pattern", () => {
  test.each([
    ['dd/MM/yyyy', '2020-03-04', '2020-03-04T00:00:00.000Z'],
    ['yyyy-dd-MM', '2020-03-04', '2020-03-04T00:00:00.000Z'],
    ['dd/MM/yyyy', '2020-03-04T09:30:00', '2020-03-04T09:30:00.000Z'],
    ['yyyyMMdd', '20200304', '2020-03-04T00:00:00.000Z'],
  ])('%s: %s', (pattern, cell, since) => {
    expect(typed('kyc.since', { column: 'X', pattern }, cell)).toEqual({ kyc: { since }, name: 'y' });
  });

  test('a date and time of day without an offset needs a pattern, which means UTC', () => {
    expect(typed('kyc.since', 'X', '2020-03-04T09:30:00')).toEqual([
      'cell_not_convertible X "2020-03-04T09:30:00"',
    ]);
  });

  test('a number is none', () => {
    expect(typed('kyc.since', { column: 'X', pattern: 'dd/MM/yyyy' }, '43921')).toEqual([
      'cell_not_convertible X "43921"',
    ]);
  });
});

describe("a workbook's boolean is one beside the definition's words, which go first", () => {
  const swapped = { column: 'X', true: ['0'], false: ['1'] };

  test.each([
    ['true', true],
    ['false', false],
    ['0', true],
    ['1', false],
  ])('%s', (cell, isPayer) => {
    expect(typed('isPayer', swapped, cell)).toEqual({ isPayer, name: 'y' });
  });
});
