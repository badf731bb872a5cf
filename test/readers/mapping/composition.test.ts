import { expect, test } from 'vitest';
import type { FieldSource, JobDefinition } from '../../../src/config/job-definition.ts';
import { bodyOf, cells, compileCsv, compileJson, mapCsv, problemsOf, record } from './catalog.ts';

const JOINED: FieldSource = { columns: ['A', 'B'], join: ' ' };

test.each<[FieldSource, string, string, unknown]>([
  [JOINED, 'Jo', 'Fox', 'Jo Fox'],
  [{ columns: ['B', 'A'], join: '' }, 'Jo', 'Fox', 'FoxJo'],
  [JOINED, 'NULL', 'Fox', 'Fox'],
  [JOINED, '', '', undefined],
  [{ ...JOINED, default: 'none' }, '', '', 'none'],
  [{ ...JOINED, split: ' ', part: 2 }, 'Jo', 'Fox', 'Fox'],
  [{ column: 'A', split: ' ', part: 'first' }, ' Jo  van Fox', '', 'Jo'],
  [{ column: 'A', split: ' ', part: 'rest' }, ' Jo  van Fox', '', 'van Fox'],
  [{ column: 'A', split: ', ', part: 'rest' }, 'Fox, Jo, Al', '', 'Jo, Al'],
  [{ column: 'A', split: ',', part: 2 }, 'Fox,,Jo', '', undefined],
  [{ column: 'A', split: ',', part: 3, default: 'none' }, 'Fox', '', 'none'],
  [{ column: 'A', remove: 'spaces' }, ' 1 2\u00a03\n4', '', '1234'],
  [{ column: 'A', default: 'none' }, ' ', '', 'none'],
])('%j of %j and %j is %j', (name, a, b, made) => {
  const fields = { name, email: 'C', 'details.name': 'A', 'details.taxId': 'B' };
  const body = bodyOf(compileCsv(['A', 'B', 'C'], { fields }).map(cells(a, b, 'e')));
  expect({ name: undefined, ...Object(body) }).toMatchObject({ email: 'e', name: made });
});

const checks = { accounts: 'error', damage: 'error', number_cell: 'error', same_row: 'error' } as const;

test.each<[string, FieldSource, string, string, unknown]>([
  ['accounts.0.iban', { columns: ['A', 'B'], join: '' }, 'GB29NWBK60161', '331926819', null],
  ['accounts.0.iban', { columns: ['A', 'B'], join: '' }, 'GB29NWBK60161', '331926818', 'iban_invalid A + B'],
  ['name', JOINED, 'Jo', '#REF!', 'spreadsheet_error B'],
  ['kyc.payments', JOINED, '1', '2', 'cell_not_convertible A + B'],
])('%s by %j of %j and %j: a finding names the damaged cell or all', (field, source, a, b, found) => {
  const mapped = compileCsv(['A', 'B'], { fields: { [field]: source }, checks }).map(cells(a, b));
  const issues = mapped.kind === 'issues' ? mapped.issues : [null];
  expect(issues.map((one) => one && `${one.code} ${one.column}`)).toContain(found);
});

test("a workbook's number that is joined is none of an identifier", () => {
  const mapping = compileCsv(['A', 'B'], { fields: { 'details.taxId': { ...JOINED, remove: 'spaces' } } });
  expect(bodyOf(mapping.map({ ...cells('0', '1'), typed: [1] }))).toEqual(['number_cell A + B "01"']);
});

test('a default alone makes no item of a list, and no row', () => {
  const fields: JobDefinition['fields'] = {
    'accounts.0.iban': 'I',
    'accounts.0.country': { column: 'C', default: 'GBR' },
  };
  expect(bodyOf(mapCsv({ I: '', C: '', name: 'N' }, { fields }))).toEqual({ name: 'N' });
  expect(bodyOf(mapCsv({ I: '', C: '' }, { fields }))).toEqual(['empty_row null null']);
  const account = { iban: 'X', country: 'GBR' };
  expect(bodyOf(mapCsv({ I: 'X', C: '' }, { fields }))).toEqual({ accounts: [account] });
});

test.each<[FieldSource, unknown]>([
  [JOINED, ['cell_not_convertible A + B "[\\"Jo\\",0]"']],
  [
    { columns: ['A', 'C'], join: ' ' },
    { name: 'Jo', kyc: { payments: 0 } },
  ],
])('of JSON only text is joined, and what a record lacks is empty: %j', (name, body) => {
  const mapping = compileJson(['A', 'B'], { fields: { name, 'kyc.payments': 'B' } });
  expect(bodyOf(mapping.map(record({ A: 'Jo', B: 0 })))).toEqual(body);
});

test.each<[FieldSource, string]>([
  [{ columns: ['A', 'Zip'], join: ' ' }, 'the file has no column "Zip", from which the job takes name.'],
  [{ column: 'A', default: 5 }, '"name": default: expected a string (in quotes)'],
  [{ column: 'A', ref: 'subclient', remove: 'spaces' }, `"name": remove doesn't go with ref: the cell is`],
])('%j is refused', (name, problem) => {
  expect(problemsOf(() => compileCsv(['A'], { fields: { name } })).join('\n')).toContain(problem);
});

test('JSON numbers are not joined, zero included', () => {
  const mapping = compileJson(['A', 'B'], { fields: { 'kyc.payments': JOINED } });
  expect(bodyOf(mapping.map(record({ A: 5, B: 0 })))).toEqual(['cell_not_convertible A + B "[5,0]"']);
});
