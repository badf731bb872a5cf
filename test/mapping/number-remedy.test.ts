import { expect, test } from 'vitest';
import type { FieldSource } from '../../src/config/job-definition.ts';
import { cells, compileCsv } from './catalog.ts';

function refused(field: string, signs: Record<string, string>, cell: string, typed: number[] = []): string {
  const source: FieldSource = { column: 'X', ...signs };
  const mapped = compileCsv(['X', 'name'], { fields: { [field]: source } }).map({
    ...cells(cell, 'y'),
    typed,
  });
  return mapped.kind === 'issues' ? (mapped.issues[0]?.expected ?? '') : JSON.stringify(mapped.body);
}

test.each([
  ['kyc.volume', {}, '1.234.567', 'with grouping: "." in'],
  ['kyc.volume', {}, '99.643,65', 'with grouping: "." in'],
  ['kyc.volume', {}, '1234,56', 'with decimal: "," in'],
  ['kyc.volume', {}, '1,234', 'with decimal: "," or with grouping: "," in'],
  ['kyc.volume', {}, '1 234,56', 'with decimal: "," and grouping: " " in'],
  ['kyc.volume', { decimal: ',' }, '1.234,56', 'with decimal: "," and grouping: "." in'],
  ['kyc.volume', { decimal: ',' }, '1,234.56', 'with decimal: "." and grouping: "," in'],
  ['kyc.volume', { grouping: '.' }, '1234.56', 'with decimal: "." in'],
  ['kyc.payments', {}, '1.234', 'with grouping: "." in'],
  ['kyc.payments', { grouping: ',' }, '1’234', `with grouping: "'" in`],
])('%s, %j: what would read %j is named', (field, signs, cell, remedy) => {
  expect(refused(field, signs, cell)).toContain(`; it is one ${remedy} the job definition`);
});

test.each([
  ['kyc.volume', {}, 'a lot'],
  ['kyc.volume', {}, '1.23.4'],
  ['kyc.volume', {}, '12345678901234567890'],
  ['kyc.payments', {}, '1.5'],
  ['kyc.payments', {}, '9007199254740993'],
])('%s, %j: for %j there is nothing to set', (field, signs, cell) => {
  expect(refused(field, signs, cell)).toMatch(/^a (whole )?number such as [^;]*$/);
});

test("a workbook's fraction is no grouped number", () => {
  expect(refused('kyc.payments', {}, '1.234', [0])).not.toContain('grouping');
});
