import { readTyped, type TypedCells } from '../lib/typed-cells.ts';
import { REPORT_TYPED_COLUMN } from '../model/source.ts';

/** What is wrong with a row whose account of typed cells was changed. */
export const NOT_TYPED = `column "${REPORT_TYPED_COLUMN}": expected it as the report file had it; restore it, or empty it where its cells are written as the job definition reads text`;

const NONE: TypedCells = { typed: [], numeric: [] };

/** The cells that a report file says were typed in its workbook, as far as they are as it wrote them; `null` where that can't be told. */
export function typedInReport(cells: readonly string[], columns: readonly string[]): TypedCells | null {
  const told = cells[columns.indexOf(REPORT_TYPED_COLUMN)] ?? '';
  return told === '' ? NONE : readTyped(told, cells, columns);
}
