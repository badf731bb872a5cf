import { unguardCell } from '../lib/formula-guard.ts';
import type { Row } from '../model/row.ts';
import type { CsvHeader } from './csv-header.ts';
import { BAD_BYTES } from './decode-utf8.ts';
import { NOT_TYPED, typedInReport } from './report-typed.ts';
import { NOT_UTF8, unreadableRow } from './unreadable-row.ts';

/** A well-formed record; `text`: as it stands in the file, `mayBeBad`: it may hold bytes that are no text. */
export type CsvRecord = {
  readonly cells: string[];
  readonly line: number;
  readonly mayBeBad: boolean;
  readonly text: () => string;
};

/** Whether a record of several cells is nothing but separators (and spaces, where those don't count): no quotes either. */
export function isSeparatorsOnly({ cells, text }: CsvRecord, header: CsvHeader, quote: string): boolean {
  const isWhole = cells.length === header.width && cells.length > 1;
  return isWhole && cells[0] === '' && cells.every((cell) => cell === '') && !text().includes(quote);
}

/** The row that a record makes: its cells, or why it can't be read without a guess. */
export function recordRow(row: number, record: CsvRecord, header: CsvHeader): Row {
  const { cells, line } = record;
  const problem = problemOf(record, header);
  if (problem !== null) return unreadableRow({ row, line }, record.text(), problem);
  const named = cells.length === header.columns.length ? cells : cells.slice(0, header.columns.length);
  if (!header.isReport) return { kind: 'cells', row, line, cells: named };
  const unguarded = named.map(unguardCell);
  const told = typedInReport(unguarded, header.columns);
  if (told === null) return unreadableRow({ row, line }, record.text(), NOT_TYPED);
  const { numeric, typed } = told;
  return {
    kind: 'cells',
    row,
    line,
    cells: unguarded,
    ...(numeric.length === 0 ? {} : { numeric: [...numeric] }),
    ...(typed.length === 0 ? {} : { typed: [...typed] }),
  };
}

function problemOf({ cells, mayBeBad, text }: CsvRecord, header: CsvHeader): string | null {
  const { columns, width } = header;
  if (cells.length !== width) return wrongLength(cells.length, width);
  if (mayBeBad && text().includes(BAD_BYTES)) return NOT_UTF8;
  const nameless = cells.findIndex((cell, i) => i >= columns.length && cell !== '');
  if (nameless !== -1) return `column ${nameless + 1} has no name in the header: expected nothing in it`;
  return isHeaderAgain(cells, header) ? AGAIN : null;
}

/** Files put together by hand repeat it; a file of one column may well hold its own name. */
function isHeaderAgain(cells: readonly string[], { columns, isReport }: CsvHeader): boolean {
  if (columns.length < 2 || (!isReport && cells[0] !== columns[0])) return false;
  return columns.every((name, i) => name === (isReport ? unguardCell(cells[i] ?? '') : cells[i]));
}

const AGAIN = 'the header once more: expected it once, at the top; remove this line';

function wrongLength(cells: number, columns: number): string {
  return `${cells} ${cells === 1 ? 'cell' : 'cells'} where the header has ${columns}`;
}
