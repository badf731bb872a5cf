import type { Row } from '../model/row.ts';
import { unreadableRow } from './unreadable-row.ts';
import { tooLarge, WorkbookError } from './workbook-error.ts';
import type { SheetLayout } from './workbook-layout.ts';
import { mergeFinder } from './workbook-layout.ts';
import type { RecordContext, SheetRecord } from './workbook-record.ts';
import { readRecord } from './workbook-record.ts';
import type { SheetRow } from './workbook-sheet.ts';

/** How the rows below a header become records. */
export type RowsContext = RecordContext & { readonly layout: SheetLayout };

/** Takes the sheet's next row and answers the record that it makes, if any: empty rows are passed over like blank lines. */
export type RowMaker = (row: SheetRow) => readonly Row[];

/** So many empty rows in a row are the end of a table, with something forgotten below. */
const MAX_GAP = 10_000;
/** Ten times what a large portfolio has. */
const MAX_CELLS = 50_000_000;

/** Makes records of a sheet's rows. */
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
    const { cells, numeric, typed } = read;
    return {
      kind: 'cells',
      ...place,
      cells,
      ...(numeric.length === 0 ? {} : { numeric }),
      ...(typed.length === 0 ? {} : { typed }),
    };
  };
  return (row) => {
    const read = readRecord(row, context);
    if (isEmpty(read)) return [];
    checkSize(row.line, last, columns);
    last = row.line;
    return [recordOf(row.line, read)];
  };
}

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
