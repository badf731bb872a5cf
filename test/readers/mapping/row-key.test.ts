import { describe, expect, test } from 'vitest';
import type { Mapping } from '../../../src/model/mapping.ts';
import type { Row } from '../../../src/model/row.ts';
import { compileReportKeyOf } from '../../../src/readers/mapping/row-key.ts';
import { cells, compileCsv, compileJson, record, sourceOf } from './catalog.ts';

const csv = (...columns: string[]) => compileReportKeyOf('Ref', sourceOf('csv', columns));

test('when a report has the key column in another spelling, its keys are read', () => {
  expect(csv('name', 'REF\u00a0')?.(cells('N', 'K1'))).toBe('K1');
  expect(csv('REF', 'Ref')?.(cells('other', 'K1'))).toBe('K1');
});

test('when it is not known which column is the key, none is read', () => {
  expect(csv('name')).toBeNull();
  expect(csv('REF', 'ref')).toBeNull();
  expect(csv('Ref', 'Ref')).toBeNull();
});

test('when a report holds JSON records, the member is found in the same way', () => {
  const keyOf = compileReportKeyOf('party.Ref', sourceOf('ndjson', []));
  expect(keyOf?.(record({ party: { Ref: 'K1', REF: 'other' } }))).toBe('K1');
  expect(keyOf?.(record({ Party: { REF: 'K1' } }))).toBe('K1');
  expect(keyOf?.(record({ name: 'N' }))).toBeNull();
});

const noted = (mapping: Mapping, row: Row) => {
  const mapped = mapping.map(row);
  return mapped.kind === 'issues' ? mapped.issues.map(({ code, column }) => `${code} ${column}`) : [];
};
const WITH_KEY = compileCsv(['Ref', 'name', 'email', 'country'], { key: 'Ref' });
const NO_KEY = compileCsv(['name', 'email', 'details.taxId', 'country', 'onboard_run', 'onboard_row']);

describe('a totals line', () => {
  test.each([
    ['Total', 'Grand Total', 'subtotal', 'Row count'],
    ['Summe', 'ÜBERTRAG', 'Zwischensumme:', 'Gesamt (47)'],
    ['Sous-total', 'Total général', 'Somme :'],
    ['Suma total', 'Total parcial'],
    ['Totale complessivo', 'riporto'],
    ['Eindtotaal', 'aantal'],
    ['Razem', 'Łącznie'],
    ['Total geral', 'Soma'],
    ['Summa', 'Delsumma'],
    ['I alt'],
    ['Celkem', 'Mezisoučet'],
    ['Durchschnitt', 'Anzahl Datensätze', 'Anzahl Datensätze: 2', 'Gesamtergebnis', 'Records total = 31'],
    ['Yhteensä', 'YHTEENSÄ', 'Összesen', 'Toplam', 'Genel Toplam', '合計', '総計', '小計:', '平均'],
    ['Totalsum', 'Spolu', 'Skupaj', 'Ukupno', 'Medie', 'Общо', 'Разом'],
    ['ΣΥΝΟΛΟ', 'Σύνολο', '总计', '합계', 'المجموع'],
    ['Итого', 'ИТОГО:', 'Всего (3)'],
    ['∑', ' Total ', 'Total (3):', 'Ｔｏｔａｌ'],
  ])('has the word as its key, anywhere in the table: %s', (...words) => {
    for (const word of words) {
      expect(noted(WITH_KEY, cells(word, 'Acme', 'a@b', 'DE'))).toEqual(['totals_row Ref']);
      expect(WITH_KEY.keyOf(cells(word, 'Acme', 'a@b', 'DE'))).toBeNull();
    }
  });

  test('has it in its first filled cell, where the rows have no key and at most half of its cells are filled', () => {
    expect(noted(NO_KEY, cells('Summe', '', '', '9', '', ''))).toEqual(['totals_row name']);
    expect(noted(NO_KEY, cells('', ' ', 'Total:', '9', 'run-1', '7'))).toEqual(['totals_row details.taxId']);
  });

  test('has it there, and no key: it is not told to give the line one', () => {
    expect(noted(WITH_KEY, cells('', 'Summe', '', ''))).toEqual(['totals_row name']);
    expect(noted(WITH_KEY, cells('', 'Summe', 'a@b', 'DE'))).toEqual(['empty_key Ref']);
    expect(noted(WITH_KEY, cells('', 'Acme', '', ''))).toEqual(['empty_key Ref']);
  });

  test('is none without such a word there, however few cells it has', () => {
    for (const key of ['Total Energies', 'Sum-1', '47', 'Totals Ltd', 'Total2', 'Media', 'Total:A1'])
      expect(WITH_KEY.keyOf(cells(key, '', '', ''))).toBe(key);
    expect(noted(WITH_KEY, cells('K1', 'Total', '', ''))).toEqual([]);
    expect(noted(NO_KEY, cells('Acme', '', '', ''))).toEqual([]);
    expect(noted(NO_KEY, cells('Acme', 'Total', '', ''))).toEqual([]);
    expect(noted(NO_KEY, cells('Total', 'mail@total.example', '', 'FRA', '', ''))).toEqual([]);
  });

  test('of JSON has the word as its key as well', () => {
    const mapping = compileJson(['Ref', 'name'], { key: 'Ref' });
    expect(noted(mapping, record({ Ref: 'Summe', name: 'N' }))).toEqual(['totals_row Ref']);
    expect(noted(compileJson(['name']), record({ name: 'Summe' }))).toEqual([]);
  });
});

describe('what stands for nothing', () => {
  const required = compileCsv(['Ref', 'name', 'email', 'currencies'], {
    key: 'Ref',
    required: ['name', 'currencies'],
  });
  test.each([
    ...['', ' ', '\u00a0\t', 'NULL', 'null', 'None', 'NaN', 'nan', 'NaT', '<NA>', '<na>', '(null)', '[NULL]'],
    ...[
      'nil',
      '(blank)',
      '(Blank)',
      'n/a',
      'N/A',
      '#N/A',
      '-',
      '.',
      '\\N',
      'undefined',
      ' NULL ',
      '[]',
      '?',
      '-----',
      '“”',
    ],
  ])('is no key and fills no required field: %j', (nothing) => {
    expect(required.keyOf(cells(nothing, 'N', '', 'EUR'))).toBeNull();
    const found = noted(required, cells(nothing, nothing, '', nothing));
    expect(found).toContain('empty_key Ref');
    expect(found).toContain('missing_required name');
    // Brackets are no list: told as that.
    if (!nothing.startsWith('[')) expect(found).toContain('missing_required currencies');
  });

  test('and is drawn as nothing is no key', () => {
    expect(required.keyOf(cells('\u200b', 'N', '', 'EUR'))).toBeNull();
  });

  test('may be part of a key or of a name, and NA is never a word for it', () => {
    for (const text of ['NULL-1', 'undefined Ltd', 'None of Us', 'NA', 'na', 'A-', 'Nilsson', '0'])
      expect(noted(required, cells(text, text, '', text))).toEqual([]);
  });

  test.each(['Null', 'Nan', 'Nil', 'NONe', 'Unknown'])(
    'may be a surname or a brand: %s is sent, and warned of',
    (text) => {
      const mapped = required.map(cells('K', text, '', 'EUR'));
      expect(mapped).toMatchObject({ body: { name: text } });
      expect(mapped).toMatchObject({ warnings: [{ code: 'word_for_nothing', column: 'name' }] });
    },
  );

  test.each(['Null', 'nAn', 'NIL'])('is no key in any case: %s', (key) => {
    expect(required.keyOf(cells(key, 'N', '', 'EUR'))).toBeNull();
  });

  test.each(['TBC', 'Not applicable', 'k.A.', 'néant', 'UNKNOWN'])(
    '%s may be a key, but fills no required field',
    (text) => {
      expect(noted(required, cells(text, text, '', 'EUR'))).toEqual(['missing_required name']);
    },
  );

  test('is meant where a line under the field says so', () => {
    const fields = { name: { column: 'N', nothing: [] }, email: { column: 'E', nothing: [] } };
    const mapping = compileCsv(['N', 'E'], { fields, required: ['name'] });
    expect(mapping.map(cells('None', '-'))).toMatchObject({
      body: { name: 'None', email: '-' },
      warnings: [],
    });
    const left = compileCsv(['N'], { fields: { name: { column: 'N', nothing: [], values: { x: null } } } });
    expect(left.map(cells('-'))).toMatchObject({ warnings: [] });
  });

  test('is left out where it is white space, and sent as it stands elsewhere', () => {
    const body = (email: string) => required.map(cells('K', 'N', email, 'EUR'));
    expect(body(' \u00a0')).toMatchObject({ body: { name: 'N', currencies: ['EUR'] } });
    expect(body(' ')).not.toHaveProperty('body.email');
    expect(body('NULL')).toHaveProperty('body.email', 'NULL');
    expect(body('NULL')).toMatchObject({ warnings: [{ code: 'word_for_nothing', column: 'email' }] });
  });
});

test('a number of JSON and its digits as text are one key', () => {
  const { keyOf } = compileJson(['Ref', 'name'], { key: 'Ref' });
  expect([keyOf(record({ Ref: 17 })), keyOf(record({ Ref: '17' }))]).toEqual(['17', '17']);
});
