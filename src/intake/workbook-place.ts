/** A workbook's sheet has no more (Excel's specifications and limits). */
export const MAX_SHEET_ROWS = 1_048_576;
export const MAX_SHEET_COLUMNS = 16_384;

/** A cell's place in a sheet: the row from 1, the column from 0. */
export type CellPlace = { readonly line: number; readonly column: number };

const REFERENCE = /^\$?([A-Za-z]{1,3})\$?(\d{1,7})$/;
const LETTERS = 26;
const BEFORE_A = 64;

/** The place that a reference such as `B7` names, `null` where it names none. */
export function placeOf(reference: string): CellPlace | null {
  const [, letters = '', digits = ''] = REFERENCE.exec(reference) ?? [];
  let column = 0;
  for (let i = 0; i < letters.length; i += 1) {
    column = column * LETTERS + (letters.charCodeAt(i) & 31);
  }
  const line = Number(digits);
  if (column < 1 || column > MAX_SHEET_COLUMNS || line < 1 || line > MAX_SHEET_ROWS) return null;
  return { line, column: column - 1 };
}

/** The letters of a column: 0 is `A`. */
export function columnLetters(column: number): string {
  const before = Math.floor(column / LETTERS);
  const letter = String.fromCharCode(BEFORE_A + 1 + (column % LETTERS));
  return before === 0 ? letter : columnLetters(before - 1) + letter;
}
