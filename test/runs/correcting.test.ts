import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatSchema } from '../../src/config/job-definition.ts';
import type { CellsRow, RecordRow, Row } from '../../src/model/row.ts';
import { readChunks } from '../../src/readers/intake/chunks.ts';
import { surveyFile } from '../../src/readers/intake/survey.ts';
import {
  type Changes,
  correctedFile,
  correctedRow,
  spread,
  type WrongRow,
  withChanges,
} from '../../src/runs/correcting.ts';
import { ownFolder } from '../support/folder.ts';
import { endedRow } from '../support/settled-row.ts';
import { csvSource } from '../support/source.ts';

const FORMAT = formatSchema.parse({});
const COLUMNS = ['externalId', 'name', 'note'];

const cell = fc.oneof(
  fc.constantFrom(
    '',
    '=1+1',
    '-5',
    "'x",
    'a"b',
    'c;d',
    'e,f',
    ' g ',
    'Müller',
    '00017',
    'two\nlines',
    'true',
  ),
  fc.string({ unit: 'grapheme', maxLength: 12 }).filter((text) => !/[\p{Cc}\p{Cs}]/u.test(text)),
);
const cells = fc.array(cell, { minLength: COLUMNS.length, maxLength: COLUMNS.length });
const rows = fc.array(fc.record({ before: cells, typed: fc.subarray([0, 1, 2]), after: cells }), {
  minLength: 1,
  maxLength: 6,
});

const wrong = (source: CellsRow, record: RecordRow | null = null): WrongRow => {
  return {
    source,
    record,
    unread: null,
    part: 0,
    settlement: endedRow(source.row, 'invalid', { key: '' }),
    body: null,
  };
};

test('what is corrected here is read as it was typed, as what is corrected in failed.csv is', async () => {
  const folder = await ownFolder();
  let n = 0;
  await fc.assert(
    fc.asyncProperty(rows, async (given) => {
      const run = { id: 'run-1', source: csvSource({ columns: COLUMNS }) };
      const changed = given.map(({ before, typed, after }, i) => {
        const source: CellsRow = {
          kind: 'cells',
          row: i + 1,
          line: i + 2,
          cells: ['K', ...before.slice(1)],
          typed,
        };
        return wrong(withChanges(source, new Map([[1, after[1] ?? '']])));
      });
      n += 1;
      const path = join(folder, `${n}.csv`);
      await writeFile(path, correctedFile(run, changed));
      const { source } = await surveyFile(path, FORMAT);
      const read: Row[] = [];
      for await (const chunk of readChunks(path, source, FORMAT)) read.push(...chunk.rows);
      const texts = read.map((row) => (row.kind === 'cells' ? row.cells.slice(0, COLUMNS.length) : row.kind));
      expect(texts).toEqual(changed.map(({ source: { cells: own } }) => own));
    }),
    { numRuns: 150 },
  );
});

test('a cell that is typed over is text, and one that is not stays what it was', () => {
  const source: CellsRow = { kind: 'cells', row: 1, line: 2, cells: ['K', '5', '7'], typed: [1, 2] };
  expect(withChanges(source, new Map([[1, '6']]))).toEqual({ ...source, cells: ['K', '6', '7'], typed: [2] });
  expect(withChanges(source, new Map([[1, '5']]))).toEqual(source);
});

test('a change is spread to cells of its column that said the same, and to no other', () => {
  const of = (row: number, ...own: string[]) => wrong({ kind: 'cells', row, line: row, cells: own });
  const all = [of(1, 'x', 'x'), of(2, 'x', 'y'), of(3, 'z', 'x')];
  const changes: ReadonlyMap<number, Changes> = new Map([[1, new Map([[0, 'n']])]]);
  const spreadOut = spread(all, changes, { row: 1, at: 0 });
  expect([...spreadOut].map(([row, own]) => [row, [...own]])).toEqual([
    [1, [[0, 'n']]],
    [2, [[0, 'n']]],
  ]);
  expect(spread(all, changes, { row: 2, at: 0 })).toBe(changes);
});

const RECORD = {
  ref: 'K1',
  details: { name: 'Ada', size: 5, isActive: true },
  currencies: ['EUR'],
  accounts: [{ iban: 'A' }, { iban: 'B' }],
  'dotted.name': 'x',
};
const PATHS = [
  'ref',
  'details.name',
  'details.size',
  'details.isActive',
  'currencies',
  'accounts.0.iban',
  'accounts.1.iban',
  'dotted.name',
  'details.city',
];

test.each<readonly [path: string, typed: string, becomes: object]>([
  ['details.name', '17', { details: { ...RECORD.details, name: '17' } }],
  ['details.size', '6', { details: { ...RECORD.details, size: 6 } }],
  ['details.size', 'six', { details: { ...RECORD.details, size: 'six' } }],
  ['details.size', '12345678901234567890', { details: { ...RECORD.details, size: '12345678901234567890' } }],
  ['details.isActive', 'false', { details: { ...RECORD.details, isActive: false } }],
  ['currencies', '["EUR","USD"]', { currencies: ['EUR', 'USD'] }],
  ['accounts.1.iban', 'C', { accounts: [{ iban: 'A' }, { iban: 'C' }] }],
  ['dotted.name', 'y', { 'dotted.name': 'y' }],
  ['details.city', 'Bern', { details: { ...RECORD.details, city: 'Bern' } }],
])('in a record %s becomes %s, and nothing else of it changes', async (path, typed, becomes) => {
  const record: RecordRow = { kind: 'record', row: 3, line: 3, text: JSON.stringify(RECORD) };
  const source = { ...csvSource({ columns: PATHS }), type: 'json' as const };
  const leaves = ['K1', 'Ada', '5', 'true', '["EUR"]', 'A', 'B', 'x', ''];
  const was = wrong({ kind: 'cells', row: 3, line: 3, cells: leaves }, record);
  const now = withChanges(was.source, new Map([[PATHS.indexOf(path), typed]]));
  const row = correctedRow(was, now, source);
  const folder = await ownFolder();
  const file = join(folder, 'corrected.ndjson');
  await writeFile(file, correctedFile({ id: 'run-1', source }, [{ ...was, source: row }]));
  const { source: survey } = await surveyFile(file, FORMAT);
  const read: Row[] = [];
  for await (const chunk of readChunks(file, survey, FORMAT)) read.push(...chunk.rows);
  const texts = read.map((one) => (one.kind === 'record' ? JSON.parse(one.text) : one));
  const told = { run: 'run-1', row: 3, outcome: 'invalid' };
  expect(texts).toEqual([{ ...RECORD, ...becomes, _onboard: expect.objectContaining(told) }]);
  expect(correctedRow(was, was.source, source)).toEqual({ ...record, text: JSON.stringify(RECORD) });
});
