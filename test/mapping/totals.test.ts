import { describe, expect, test } from 'vitest';
import { markTotals } from '../../src/mapping/totals.ts';
import type { Row } from '../../src/model/row.ts';
import { issueWords } from '../../src/model/sentence.ts';

/** The rows of a file, cells separated by `;`; the first line is the header. */
function rowsOf(lines: readonly string[]): Row[] {
  return lines
    .slice(1)
    .map((line, i) => ({ kind: 'cells', row: i + 1, line: i + 2, cells: line.split(';') }));
}

type Given = { readonly hasKey?: boolean; readonly batch?: number };

/** The rows that are marked as totals lines, and how often the file was read again. */
async function marked(lines: readonly string[], { hasKey = true, batch = 100 }: Given = {}) {
  const columns = lines[0]?.split(';') ?? [];
  const rows = rowsOf(lines);
  let readings = 0;
  async function* batches() {
    for (let at = 0; at < rows.length; at += batch) yield { rows: rows.slice(at, at + batch) };
  }
  const options = {
    source: { type: 'csv' as const, columns },
    keyOf: hasKey ? (row: Row) => (row.kind === 'cells' && row.cells[0] ? row.cells[0] : null) : null,
    again: () => {
      readings += 1;
      return batches();
    },
  };
  const read: Row[] = [];
  for await (const { rows: some } of markTotals(batches(), options)) read.push(...some);
  expect(read.map(({ row }) => row)).toEqual(rows.map(({ row }) => row));
  const found = read.flatMap((row) =>
    row.kind === 'unreadable' ? [] : (row.findings ?? []).map((finding) => ({ ...finding, row: row.row })),
  );
  return { rows: found.map(({ row }) => row), found, readings };
}

const CUSTOMERS = ['Nr;Name;Ort;Umsatz', 'K1;Acme;Bonn;10,50', 'K2;Total;Köln;20,00', 'K3;Bay;Ulm;1.000,00'];
const WIDE = ['Ref;A;B;C;D;E', ...Array.from({ length: 30 }, (_, i) => `R-${i};a;b;c;d;${i + 1}`)];
const TWO = ['Firma;Kontakt', ...Array.from({ length: 7 }, (_, i) => `Firma ${i};Person ${i}`)];

describe('a totals line', () => {
  test.each<[string, readonly string[], Given?]>([
    ['word and sum', [...CUSTOMERS, 'Summe;;;1.030,50']],
    ['word and sum, no key', [...CUSTOMERS, ';Gesamt:;;1030,50'], { hasKey: false }],
    ['word and sum with a currency', [...CUSTOMERS, 'Totale;;;€ 1.030,50']],
    ['word and count', [...TWO, 'Summe;7 Kunden']],
    ['word and count, no key', [...TWO, 'TOTAL;7'], { hasKey: false }],
    ['word and a key unlike the others', [...CUSTOMERS, 'Razem;;;77']],
    ['word in brackets, sparse', [...WIDE, ';Somme (EUR);;;;9']],
    ['word in Italian, sparse', [...WIDE, ';Totale complessivo;;;;']],
    ['word in Dutch, sparse', [...WIDE, ';Eindtotaal;;;;']],
    ['word in Spanish, sparse', [...WIDE, ';Importe total;;;;']],
    ['word in Polish, sparse', [...WIDE, ';Łącznie;;;;']],
    ['sum and sparse, without a word', [...WIDE, ';;;;;465']],
    ['count and sparse, without a word', [...WIDE, '30;;;;;'.replace('30;', ';30')]],
    ['a footer: sparse, with a key unlike all others', [...WIDE, 'Stand: 31.12.2025;;;;;']],
    ['an English amount', ['Id;N;Amount', 'A1;x;1,000.50', 'A2;y;2,000.25', 'Total;;3,000.75']],
  ])('by %s is marked, and nothing else', async (_, lines, given) => {
    const { rows } = await marked(lines, given);
    expect(rows).toEqual([lines.length - 1]);
  });

  test.each<[string, readonly string[], Given?]>([
    ['a company that is called Total', CUSTOMERS],
    ['a company that is called Total, last in the file', [...CUSTOMERS, 'K4;Total;Paris;5,00']],
    [
      'a company that is called Total whose number happens to be the sum',
      [...CUSTOMERS, 'K4;Total;Paris;1.030,50'],
    ],
    [
      'a company that is called Total, without keys',
      ['Name;Ort', 'Acme;Bonn', 'Total;Paris'],
      { hasKey: false },
    ],
    ['a row with few cells', [...WIDE, 'R-30;a;;;;']],
    ['a row with a key of its own form', [...WIDE, 'X99Z;a;b;c;d;7']],
    ['a row whose number happens to be the count', [...WIDE, 'R-30;a;b;c;d;30']],
    ['a row without a key', [...CUSTOMERS, ';Dover;Kiel;3,00']],
    ['one row alone', ['Ref;Name', 'Total;1']],
    ['a totals line far from the end', [...CUSTOMERS, 'Summe;;;1.030,50', ...WIDE.slice(1, 9)]],
  ])('is not: %s', async (_, lines, given) => {
    expect((await marked(lines, given)).rows).toEqual([]);
  });

  test('may be one of several at the end', async () => {
    const lines = [...CUSTOMERS, 'Zwischensumme;;;1.030,50', 'Summe;;;1.030,50', 'Anzahl;3;;'];
    expect((await marked(lines)).rows).toEqual([4, 5, 6]);
  });

  test.each([1, 2, 3, 7, 100])('is found whatever number of rows, %i, is read at a time', async (batch) => {
    const lines = [...WIDE, ';Total;;;;465'];
    expect((await marked(lines, { batch })).rows).toEqual([31]);
  });

  test('is told with its place, its cell and its signs, without the cells in words', async () => {
    const { found } = await marked([...CUSTOMERS, 'Summe;;;1.030,50']);
    expect(found).toMatchObject([{ code: 'totals_row', column: 'Nr', value: 'Summe' }]);
    const words = found.map(issueWords).join();
    expect(words).toBe(
      'column "Nr": expected a record; this looks like a totals line, since it has a word for a total, and the sum of the column "Umsatz", and far fewer filled cells than the other rows, and a key unlike all others: leave it out',
    );
  });

  test('without a sign in the last rows costs no second reading', async () => {
    expect((await marked(WIDE)).readings).toBe(0);
  });

  test('that a report tells of stays one, though the rows above it are gone', async () => {
    const lines = ['Nr;Name;onboard_row;onboard_code', 'Total;1;9;totals_row', 'K7;Bay;10;empty_key'];
    expect((await marked(lines)).rows).toEqual([1]);
  });
});
