/**
 * Guards cells of CSV files against being run as formulas by a spreadsheet (OWASP, CSV injection),
 * and unguards them exactly.
 *
 * A spreadsheet splits a file at its own locale's separator, and takes quotes in the middle of a
 * field for text: quoting alone holds nothing back. A field can begin only at a line's start,
 * behind a separator, or behind the quote that opens it there. So a `'` goes before every such
 * place in a cell whose first sign (after spaces, quotes and invisible characters) is a formula's.
 * Guaranteed for files split at any of `,` `;` tab `|`, or several, with `"` or nothing as the
 * quote.
 */

/**
 * Passed over before a field's first sign: spaces, quotes, controls and format characters that
 * separate nothing.
 */
const PASSED_OVER = String.raw`(?:(?![\t\r\n])[\s"\p{Cc}\p{Cf}])*`;

/**
 * Beginnings of fields that need a `'`: those with a formula's sign, and those with a `'` of their
 * own, so that guarding can be undone exactly. At the cell's start also a tab or line break, which
 * spreadsheets drop, and `sep=`, by which a file's first cell tells Excel where to split.
 */
const GUARDED = new RegExp(
  String.raw`^(?=[\t\r\n]|sep=)|(?:^|(?<=[,;\t|\r\n]))(?='|${PASSED_OVER}[=+\-@＝＋－＠])`,
  'giu',
);

export function guardCell(cell: string): string {
  return cell.replace(GUARDED, "'");
}

/** Takes off exactly one `'` at the cell's start and behind each separator. */
export function unguardCell(cell: string): string {
  return cell.includes("'") ? cell.replace(/(^|[,;\t|\r\n])'/g, '$1') : cell;
}
