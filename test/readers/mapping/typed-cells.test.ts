import { expect, test } from 'vitest';
import type { FieldSource } from '../../../src/config/job-definition.ts';
import { bodyOf, cells, compileCsv } from './catalog.ts';

/** What a field gets from a cell that a workbook holds as a number, a date or a boolean. */
function typed(field: string, source: FieldSource, cell: string): unknown {
  const mapping = compileCsv(['X', 'name'], { fields: { [field]: source } });
  return bodyOf(mapping.map({ ...cells(cell, 'y'), typed: [0] }));
}

const GERMAN = { column: 'X', decimal: ',' } as const;
const SWAPPED = { column: 'X', true: ['0'], false: ['1'] };
const by = (pattern: string) => ({ column: 'X', pattern });
const MIDNIGHT = '2020-03-04T00:00:00.000Z';

test.each<[string, string, FieldSource, string, unknown]>([
  ['a number in plain notation, whatever the signs', 'kyc.volume', GERMAN, '1.234', 1.234],
  ['a negative one too', 'kyc.volume', GERMAN, '-0.5', -0.5],
  ['a whole number', 'kyc.payments', GERMAN, '1234', 1234],
  ['a date as such, whatever the pattern', 'kyc.since', by('dd/MM/yyyy'), '2020-03-04', MIDNIGHT],
  ['where the pattern would fit too', 'kyc.since', by('yyyy-dd-MM'), '2020-03-04', MIDNIGHT],
  ['by the pattern where it is no date', 'kyc.since', by('yyyyMMdd'), '20200304', MIDNIGHT],
  ['in UTC', 'kyc.since', by('dd/MM/yyyy'), '2020-03-04T09:30:00', '2020-03-04T09:30:00.000Z'],
  ['a boolean as such', 'isPayer', SWAPPED, 'true', true],
  ['a boolean beside the words, which go first', 'isPayer', SWAPPED, '0', true],
])('what a workbook holds is read as %s (%s)', (_, field, source, cell, value) => {
  const [name = '', inner] = field.split('.');
  expect(typed(field, source, cell)).toEqual({
    name: 'y',
    [name]: inner === undefined ? value : { [inner]: value },
  });
});

test.each<[string, string, FieldSource, string]>([
  ['a fraction for a whole number', 'kyc.payments', GERMAN, '1.234'],
  ['a date and time of day without an offset or a pattern', 'kyc.since', 'X', '2020-03-04T09:30:00'],
  ['a number for a date', 'kyc.since', by('dd/MM/yyyy'), '43921'],
])('%s is not converted', (_, field, source, cell) => {
  expect(typed(field, source, cell)).toEqual([`cell_not_convertible X "${cell}"`]);
});

test.each([
  [[0], ['number_cell']],
  [undefined, ['number_cell']],
  [[], []],
])(
  'a key that is a whole number is warned of where its column has other lengths, too (%j)',
  (uneven, codes) => {
    const settings = { key: 'X', ignore: ['X'] };
    const mapped = compileCsv(['X', 'name'], settings, { found: { ...(uneven && { uneven }) } }).map({
      ...cells('17', 'y'),
      typed: [0],
    });
    expect(mapped.kind === 'mapped' && mapped.warnings.map(({ code }) => code)).toEqual(codes);
  },
);

test.each([
  ['X', { column: 'X' }],
  ['X + name', { columns: ['X', 'name'], join: '' }],
])('a date that Excel has swapped is not taken of %s', (column, source) => {
  const mapping = compileCsv(['X', 'name', 'onboard_swapped X'], { fields: { 'kyc.since': source } });
  const mapped = mapping.map({ ...cells('2020-03-04', '', ''), typed: [0] });
  expect(bodyOf(mapped)).toEqual([`cell_not_convertible ${column} "2020-03-04"`]);
});

test('text with the same characters is read with the signs of the definition', () => {
  const mapping = compileCsv(['X'], { fields: { 'kyc.volume': GERMAN } });
  expect(bodyOf(mapping.map(cells('1.234')))).toEqual({ kyc: { volume: 1234 } });
});
