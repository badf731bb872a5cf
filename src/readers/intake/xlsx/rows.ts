/** The table of a sheet: its header, and the rows below it, with what makes one unreadable. */
import type { Format } from '../../../config/job-definition.ts';
import { unguardCell } from '../../../lib/formula-guard.ts';
import type { Row } from '../../../model/row.ts';
import { REPORT_ROW_COLUMN } from '../../../model/source.ts';
import {
  createHeaderLook,
  HEADER_AGAIN,
  namelessProblem,
  nameProblems,
  otherHeaderProblem,
} from '../column-names.ts';
import { createReplyLook } from '../origins.ts';
import { reportRow } from '../report-file.ts';
import { cellsRow, controlProblem, MAX_RECORD_CHARS, TOO_LONG, unreadableRow } from '../row.ts';
import { tooLarge, WorkbookError } from './error.ts';
import { columnLetters, mergeFinder, type ReadCell, type SheetLayout, type SheetRow } from './sheet.ts';

type SheetHeader = {
  readonly columns: readonly string[];
  readonly line: number;
  readonly isReport: boolean;
};

/**
 * The row that `wanted` names, else the first that isn't empty. Call with rows from top to bottom;
 * `null`: it is not among these. WorkbookError where they are already past it.
 */
export function findHeader(rows: readonly SheetRow[], wanted: number | undefined): SheetHeader | null {
  const row = rows.find(({ line, cells }) => line >= (wanted ?? 1) && cells.some(isVisible));
  if (row === undefined) return null;
  if (wanted === undefined || row.line === wanted) return readSheetHeader(row);
  throw new WorkbookError(
    `has nothing in row ${wanted}: expected the header there, as format.header says; correct format.header`,
  );
}

export function isVisible(cell: ReadCell): boolean {
  return cell.kind === 'problem' || cell.text.trim() !== '';
}

function readSheetHeader(row: SheetRow): SheetHeader {
  const names: string[] = [];
  const problems: string[] = [];
  for (const cell of row.cells.filter(isVisible)) {
    if (cell.kind === 'problem') problems.push(`column ${columnLetters(cell.column)}: ${cell.problem}`);
    else names[cell.column] = cell.text.trim();
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

type Table = {
  readonly header: SheetHeader;
  readonly layout: SheetLayout;
  readonly format: Pick<Format, 'trim' | 'hidden'>;
  /** Gets the lines of rows that a filter or somebody hid. */
  readonly hidden: number[];
};

/** An empty row gives none, nor does a hidden one that is not to be sent. */
export type RowMaker = (row: SheetRow) => readonly Row[];

export function createRowMaker(table: Table): RowMaker {
  const { format, hidden, header } = table;
  const { columns, isReport, line } = header;
  const mergeAt = mergeFinder(table.layout, columns.length);
  const headerProblem = createHeaderProblem(header);
  let rows = 0;
  let last = line;
  return (row) => {
    const { cells, typed, problem } = readRecord(row, table);
    if (problem === null && cells.every((cell) => cell === '')) return [];
    checkSize(row.line, last, columns.length);
    last = row.line;
    if (row.hidden) hidden.push(row.line);
    if (row.hidden && format.hidden !== 'send') return [];
    rows += 1;
    const place = { row: rows, line: row.line };
    const text = cells.join('\t');
    const found = problem ?? merged(mergeAt(row.line)) ?? headerProblem(cells, row.line);
    if (found !== null) return [unreadableRow(place, text, found)];
    if (!isReport) return [cellsRow(place, cells, typed)];
    return [reportRow(place, cells, columns, text, typed, (at) => !typed.includes(at))];
  };
}

/** Of a header within the table; WorkbookError where it is another one. */
function createHeaderProblem({ columns, line: headerLine }: SheetHeader) {
  const headerIn = createHeaderLook(columns);
  return (cells: readonly string[], line: number): string | null => {
    const header = headerIn(cells);
    if (header === 'other')
      throw new WorkbookError(`has a row ${line} that ${otherHeaderProblem('row', headerLine)}`);
    return header === null ? null : HEADER_AGAIN;
  };
}

/** Below more empty rows than this, something was forgotten. */
const MAX_GAP = 10_000;

const MAX_CELLS = 50_000_000;

function checkSize(line: number, last: number, columns: number): void {
  if (line - last > MAX_GAP) {
    throw new WorkbookError(
      `has ${line - last - 1} empty rows above row ${line}: expected ` +
        'one table; remove what stands below it, or the empty rows',
    );
  }
  if (line * columns > MAX_CELLS) throw tooLarge(`it has more than ${MAX_CELLS} cells`);
}

function merged(reference: string | undefined): string | null {
  if (reference === undefined) return null;
  return `cells that are merged (${reference}): expected a value in each cell; undo the merge`;
}

type SheetRecord = {
  readonly cells: string[];
  readonly typed: number[];
  readonly problem: string | null;
};

function readRecord(row: SheetRow, { header, format: { trim } }: Table): SheetRecord {
  const { columns } = header;
  const cells = new Array<string>(columns.length).fill('');
  const typed: number[] = [];
  let problem: string | null = null;
  let chars = 0;
  for (const cell of row.cells) {
    problem ??= cellProblem(cell, columns);
    if (cell.column >= columns.length) break;
    if (cell.kind === 'problem') continue;
    chars += cell.text.length;
    if (chars > MAX_RECORD_CHARS) return { cells, typed, problem: TOO_LONG };
    if (cell.kind !== 'text') typed.push(cell.column);
    cells[cell.column] = cell.text;
  }
  const own = isGuarded(cells, header) ? cells.map(unguardCell) : cells;
  return { cells: trim ? own.map((cell) => cell.trim()) : own, typed, problem };
}

function isGuarded(cells: readonly string[], { isReport, columns }: SheetHeader): boolean {
  return isReport && !createReplyLook(columns)(cells);
}

function cellProblem(cell: ReadCell, columns: readonly string[]): string | null {
  const name = columns[cell.column];
  if (name === undefined) return namelessProblem(columnLetters(cell.column));
  // Nothing is sent from a column without a name: its problems don't matter.
  if (name === '') return null;
  return cell.kind === 'problem' ? `column "${name}": ${cell.problem}` : controlProblem(cell.text, name);
}
