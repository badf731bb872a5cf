import { unguardCell } from '../lib/formula-guard.ts';
import { MAX_RECORD_CHARS } from './limits.ts';
import { NOT_TYPED, typedInReport } from './report-typed.ts';
import { TOO_LONG } from './unreadable-row.ts';
import type { CellContext, CellReading } from './workbook-cell.ts';
import { readCell } from './workbook-cell.ts';
import type { SheetHeader } from './workbook-header.ts';
import { columnLetters } from './workbook-place.ts';
import type { SheetRow } from './workbook-sheet.ts';

/** How a sheet's row is read. */
export type RecordContext = CellContext & { readonly header: SheetHeader; readonly trim: boolean };

/** A sheet's row under its header: what could be read, and the first thing that could not. */
export type SheetRecord = {
  readonly cells: string[];
  /** Positions of numbers. */
  readonly numeric: number[];
  /** Positions of numbers, dates and booleans. */
  readonly typed: number[];
  readonly problem: string | null;
};

/** Reads a row's cells by the header's columns. */
export function readRecord(row: SheetRow, context: RecordContext): SheetRecord {
  const { columns, isReport } = context.header;
  const record = { cells: new Array<string>(columns.length).fill(''), numeric: [], typed: [] };
  const problem = fillRecord(record, row, context);
  if (problem !== null || !isReport) return { ...record, problem };
  const told = typedInReport(record.cells, columns);
  if (told === null) return { ...record, problem: NOT_TYPED };
  return {
    ...record,
    numeric: [...new Set([...record.numeric, ...told.numeric])],
    typed: [...new Set([...record.typed, ...told.typed])],
    problem,
  };
}

/** Fills in what can be read; answers the first thing that can't. */
function fillRecord(
  record: Omit<SheetRecord, 'problem'>,
  row: SheetRow,
  context: RecordContext,
): string | null {
  const { columns } = context.header;
  let problem: string | null = null;
  let chars = 0;
  for (const cell of row.cells) {
    const isOutside = cell.column >= columns.length;
    if (isOutside && problem !== null) break;
    const reading = readCell(cell, context);
    problem ??= problemOf(reading, cell.column, columns);
    if (reading.kind === 'problem' || isOutside) continue;
    chars += reading.text.length;
    if (chars > MAX_RECORD_CHARS) return TOO_LONG;
    fillCell(record, { column: cell.column, reading }, context);
  }
  return problem ?? (isHeaderAgain(record.cells, columns) ? AGAIN : null);
}

type Readable = Exclude<CellReading, { kind: 'problem' }>;

function fillCell(
  { cells, numeric, typed }: Omit<SheetRecord, 'problem'>,
  { column, reading }: { readonly column: number; readonly reading: Readable },
  { header, trim }: RecordContext,
): void {
  if (reading.kind === 'number') numeric.push(column);
  if (reading.kind !== 'text') typed.push(column);
  const text = header.isReport ? unguardCell(reading.text) : reading.text;
  cells[column] = trim ? text.trim() : text;
}

function problemOf(reading: CellReading, column: number, columns: readonly string[]): string | null {
  if (column < columns.length) {
    return reading.kind === 'problem' ? `column "${columns[column]}": ${reading.problem}` : null;
  }
  if (reading.kind !== 'problem' && reading.text === '') return null;
  return `a value in column ${columnLetters(column)}, where the header has no name: expected values only below names`;
}

/** Sheets put together by hand repeat it; a table of one column may well hold its own name. */
function isHeaderAgain(cells: readonly string[], columns: readonly string[]): boolean {
  return columns.length > 1 && columns.every((name, i) => name === cells[i]?.trim());
}

const AGAIN = 'the header once more: expected it once, at the top; remove this row';
