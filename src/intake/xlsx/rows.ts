/** The table of a sheet: its header, and the rows below it, with what makes one unreadable. */
import { unguardCell } from '../../lib/formula-guard.ts';
import type { Row } from '../../model/row.ts';
import { REPORT_ROW_COLUMN } from '../../model/source.ts';
import { HEADER_AGAIN, isHeaderAgain, nameProblems } from '../column-names.ts';
import { NOT_TYPED, typedInReport, unreadInReport } from '../report-file.ts';
import { cellsRow, MAX_RECORD_CHARS, TOO_LONG, unreadableRow } from '../row.ts';
import { type CellContext, type CellValue, readCell, type SheetCell } from './cell.ts';
import { tooLarge, WorkbookError } from './error.ts';
import { columnLetters, mergeFinder, type SheetLayout, type SheetRow } from './sheet.ts';

export type SheetHeader = {
  readonly columns: readonly string[];
  readonly line: number;
  readonly isReport: boolean;
};

/**
 * The row that `wanted` names, else the first that isn't empty. Call with rows from top to bottom;
 * `null`: it is not among these. WorkbookError where they are already past it.
 */
export function findHeader(
  rows: readonly SheetRow[],
  wanted: number | undefined,
  context: CellContext,
): SheetHeader | null {
  const row = rows.find(({ line, cells }) => line >= (wanted ?? 1) && holdsNames(cells, context));
  if (row === undefined) return null;
  if (wanted === undefined || row.line === wanted) return readSheetHeader(row, context);
  throw new WorkbookError(
    `has nothing in row ${wanted}: expected the header there, as format.header says; correct format.header`,
  );
}

function holdsNames(cells: readonly SheetCell[], context: CellContext): boolean {
  return cells.some((cell) => {
    const reading = readCell(cell, context);
    return reading.kind === 'problem' || reading.text.trim() !== '';
  });
}

function readSheetHeader(row: SheetRow, context: CellContext): SheetHeader {
  const names: string[] = [];
  const problems: string[] = [];
  for (const cell of row.cells) {
    const reading = readCell(cell, context);
    if (reading.kind === 'problem') problems.push(`column ${columnLetters(cell.column)}: ${reading.problem}`);
    else if (reading.text.trim() !== '') names[cell.column] = reading.text.trim();
  }
  // A column without a cell is a hole in the list.
  const plain = Array.from(names, (name = '') => name);
  const isReport = plain.includes(REPORT_ROW_COLUMN);
  const columns = isReport ? plain.map(unguardCell) : plain;
  if (problems.length === 0) problems.push(...nameProblems(columns, columnLetters));
  const [first, ...others] = problems;
  if (first === undefined) return { columns, line: row.line, isReport };
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  throw new WorkbookError(`has a header, row ${row.line}, that can't be used: ${first}${more}`);
}

type RowsContext = RecordContext & { readonly layout: SheetLayout };

/** An empty row gives none. */
export type RowMaker = (row: SheetRow) => readonly Row[];

export function createRowMaker(context: RowsContext): RowMaker {
  const { header } = context;
  const columns = header.columns.length;
  const mergeAt = mergeFinder(context.layout, columns);
  let rows = 0;
  let last = header.line;

  const recordOf = (line: number, read: SheetRecord): Row => {
    rows += 1;
    const place = { row: rows, line };
    const merge = mergeAt(line);
    const problem = read.problem ?? (merge === undefined ? null : merged(merge.reference));
    if (problem !== null) return unreadableRow(place, read.cells.join('\t'), problem);
    const unread = header.isReport ? unreadInReport(place, read.cells, header.columns) : null;
    return unread ?? cellsRow(place, read.cells, read.typed);
  };
  return (row) => {
    const read = readRecord(row, context);
    if (isEmpty(read)) return [];
    checkSize(row.line, last, columns);
    last = row.line;
    return [recordOf(row.line, read)];
  };
}

/** Below more empty rows than this, something was forgotten. */
const MAX_GAP = 10_000;

const MAX_CELLS = 50_000_000;

function isEmpty({ problem, cells }: SheetRecord): boolean {
  return problem === null && cells.every((cell) => cell === '');
}

function checkSize(line: number, last: number, columns: number): void {
  if (line - last > MAX_GAP) {
    throw new WorkbookError(
      `has ${line - last - 1} empty rows above row ${line}: expected one table; remove what stands below it, or the empty rows`,
    );
  }
  if (line * columns > MAX_CELLS) throw tooLarge(`it has more than ${MAX_CELLS} cells`);
}

function merged(reference: string): string {
  return `cells that are merged (${reference}): expected a value in each cell; undo the merge`;
}

type RecordContext = CellContext & { readonly header: SheetHeader; readonly trim: boolean };

type SheetRecord = {
  readonly cells: string[];
  readonly typed: number[];
  readonly problem: string | null;
};

function readRecord(row: SheetRow, context: RecordContext): SheetRecord {
  const { columns, isReport } = context.header;
  const record = { cells: new Array<string>(columns.length).fill(''), typed: [] };
  const problem = fillRecord(record, row, context);
  if (problem !== null || !isReport) return { ...record, problem };
  const told = typedInReport(record.cells, columns);
  if (told === null) return { ...record, problem: NOT_TYPED };
  return { ...record, typed: [...new Set([...record.typed, ...told])], problem };
}

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
    const reading = readCell(cell, context);
    const found = cellProblem(reading, cell.column, columns);
    problem ??= found;
    if (found !== null && isOutside) return problem;
    if (reading.kind === 'problem' || isOutside) continue;
    chars += reading.text.length;
    if (chars > MAX_RECORD_CHARS) return TOO_LONG;
    fillCell(record, cell.column, reading, context);
  }
  return problem ?? (isHeaderAgain(record.cells, columns) ? HEADER_AGAIN : null);
}

function fillCell(
  { cells, typed }: Omit<SheetRecord, 'problem'>,
  column: number,
  reading: Exclude<CellValue, { kind: 'problem' }>,
  { header, trim }: RecordContext,
): void {
  if (reading.kind !== 'text') typed.push(column);
  const text = header.isReport ? unguardCell(reading.text) : reading.text;
  cells[column] = trim ? text.trim() : text;
}

function cellProblem(reading: CellValue, column: number, columns: readonly string[]): string | null {
  if (column < columns.length) {
    // Nothing is sent from a column without a name: its problems don't matter.
    return reading.kind === 'problem' && columns[column] !== ''
      ? `column "${columns[column]}": ${reading.problem}`
      : null;
  }
  if (reading.kind !== 'problem' && reading.text === '') return null;
  return `a value in column ${columnLetters(column)}, to the right of all names of the header: expected values only below names, since the row may have a cell too many; name the column, or correct the row`;
}
