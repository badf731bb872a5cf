/** Cells of CSV files guarded against being run as formulas by a spreadsheet (OWASP, CSV injection), and unguarded exactly. */
/** First characters that make a spreadsheet run a cell as a formula, and `'` itself, so that guarding can be undone exactly. */
const GUARDED = new Set(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠', "'"]);

/** The cell with one leading `'` where a spreadsheet would run it as a formula. */
export function guardCell(cell: string): string {
  const first = cell.charAt(0);
  return GUARDED.has(first) ? `'${cell}` : cell;
}

/** What `guardCell` was given: exactly one leading `'` is taken off. */
export function unguardCell(cell: string): string {
  return cell.charCodeAt(0) === 39 ? cell.slice(1) : cell;
}
