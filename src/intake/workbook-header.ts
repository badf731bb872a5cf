import { unguardCell } from '../lib/formula-guard.ts';
import { REPORT_ROW_COLUMN } from '../model/source.ts';
import { isForbiddenName } from './forbidden-name.ts';
import type { CellContext, SheetCell } from './workbook-cell.ts';
import { readCell } from './workbook-cell.ts';
import { WorkbookError } from './workbook-error.ts';
import { columnLetters } from './workbook-place.ts';
import type { SheetRow } from './workbook-sheet.ts';

/** The column names of a sheet. */
export type SheetHeader = {
  readonly columns: readonly string[];
  /** The row it stands in, 1 = the sheet's first. */
  readonly line: number;
  /** The sheet was a report file: its cells are guarded against formulas. */
  readonly isReport: boolean;
};

/**
 * Finds the header among the rows of a sheet, from top to bottom: the row that `wanted` names, else the first with
 * anything in it. `null` where it is not among them; WorkbookError where they are past it.
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

/** Reads a row as the header: names without spaces around them, none behind the last one; WorkbookError with everything that is wrong. */
function readSheetHeader(row: SheetRow, context: CellContext): SheetHeader {
  const names: string[] = [];
  const problems: string[] = [];
  for (const cell of row.cells) {
    const reading = readCell(cell, context);
    if (reading.kind === 'problem') problems.push(`column ${columnLetters(cell.column)}: ${reading.problem}`);
    else if (reading.text.trim() !== '') names[cell.column] = reading.text.trim();
  }
  // What the row has no cell for is a hole in the list.
  const plain = Array.from(names, (name = '') => name);
  const isReport = plain.includes(REPORT_ROW_COLUMN);
  const columns = isReport ? plain.map(unguardCell) : plain;
  if (problems.length === 0) problems.push(...nameProblems(columns));
  const [first, ...others] = problems;
  if (first === undefined) return { columns, line: row.line, isReport };
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  throw new WorkbookError(`has a header, row ${row.line}, that can't be used: ${first}${more}`);
}

function nameProblems(columns: readonly string[]): readonly string[] {
  return columns.flatMap((name, at) => problemOf(name, at, columns.indexOf(name)));
}

function problemOf(name: string, at: number, first: number): readonly string[] {
  const here = columnLetters(at);
  if (name === '') return [`column ${here} has no name: expected a name in every cell; name or remove it`];
  if (isForbiddenName(name)) {
    return [
      `column ${here} is named "${name}", which is refused: expected no __proto__, constructor or prototype in a name; rename it`,
    ];
  }
  if (first === at) return [];
  return [
    `columns ${columnLetters(first)} and ${here} are both named "${name}": expected every name once; rename or remove one`,
  ];
}
