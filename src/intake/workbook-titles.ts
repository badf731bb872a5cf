import { headerBelow } from './title-lines.ts';
import type { CellContext } from './workbook-cell.ts';
import { readCell } from './workbook-cell.ts';
import { WorkbookError } from './workbook-error.ts';
import type { SheetRow } from './workbook-sheet.ts';

/** So many of a sheet's first rows are looked at. */
export const TITLE_ROWS = 100;
/** More columns than a header that is told from titles has; rows are padded to the widest. */
const MAX_WIDTH = 1000;

/** WorkbookError where the first of these rows has one cell, and one below looks like the header of what follows it. */
export function refuseTitleRows(rows: readonly SheetRow[], context: CellContext): void {
  const read = rows
    .slice(0, TITLE_ROWS)
    .map((row) => ({ line: row.line, cells: textsOf(row, context) }))
    .filter(({ cells }) => cells.length > 0);
  const [first] = read;
  if (first === undefined || first.cells.filter((cell) => cell !== '').length !== 1) return;
  const width = Math.max(2, ...read.map(({ cells }) => cells.length));
  const header = headerBelow(
    read.map(({ line, cells }, i) => ({
      line,
      cells: padded(i === 0 ? [first.cells.at(-1) ?? ''] : cells, width),
    })),
  );
  if (header !== null) throw titles(first.line, header.line);
}

/** The texts of a row up to its last that isn't empty. */
function textsOf({ cells }: SheetRow, context: CellContext): readonly string[] {
  const texts: string[] = [];
  for (const cell of cells) {
    const reading = readCell(cell, context);
    // What can't be read is no name, but it is there.
    const text = reading.kind === 'problem' ? '0' : reading.text.trim();
    if (text !== '' && cell.column < MAX_WIDTH) texts[cell.column] = text;
  }
  return Array.from(texts, (text = '') => text);
}

function padded(cells: readonly string[], width: number): readonly string[] {
  return [...cells, ...new Array<string>(width - cells.length).fill('')];
}

function titles(first: number, line: number): WorkbookError {
  return new WorkbookError(
    `has one cell in row ${first}, which doesn't look like a header, but row ${line} does, and most rows below it have several cells: expected column names in the first row; set format.header: ${line} in the job definition (--header ${line} for preview and map), or format.header: ${first} if row ${first} is the header`,
  );
}
