/**
 * Cells of CSV files guarded against being run as formulas by a spreadsheet (OWASP, CSV injection), and unguarded exactly.
 *
 * A spreadsheet splits a file at its own locale's separator, whichever the file was written with, and quotes that stand
 * in the middle of what it takes for a field are text to it: quoting alone holds nothing back. A field can begin only at
 * a line's start, behind a separator, or behind the quote that opens it there. So a `'` goes before every place in a cell
 * where a field could begin whose first sign, spaces, quotes and invisible characters passed over, is that of a formula.
 * Guaranteed for files split at any of `,` `;` tab `|`, or several of them, with `"` or nothing as the quote.
 */
/** What may stand before the sign in a field and is passed over: spaces, quotes, controls and format characters that separate nothing. */
const PASSED_OVER = String.raw `(?:(?![\t\r\n])[\s"\p{Cc}\p{Cf}])*`;
/**
 * The beginnings of fields that need a `'`: those with a formula's sign, and those with a `'` of their own, so that
 * guarding can be undone exactly. At the cell's start also a tab or line break, which spreadsheets take off, and `sep=`,
 * by which the first cell of a file tells Excel to split at any other character.
 */
const GUARDED = new RegExp(String.raw `^(?=[\t\r\n]|sep=)|(?:^|(?<=[,;\t|\r\n]))(?='|${PASSED_OVER}[=+\-@＝＋－＠])`, 'giu');
/** The cell with a `'` before each beginning of a field that a spreadsheet could run as a formula. */
export function guardCell(cell) {
    return cell.replace(GUARDED, "'");
}
/** What `guardCell` was given: at the cell's start and behind each separator exactly one `'` is taken off. */
export function unguardCell(cell) {
    return cell.includes("'") ? cell.replace(/(^|[,;\t|\r\n])'/g, '$1') : cell;
}
//# sourceMappingURL=formula-guard.js.map