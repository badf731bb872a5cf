/** Signs that separate cells or list items; a name in a header has none of them. */
const SEPARATORS = /[;|\t]/;
const LONGEST_NAME = 80;
const MOST_DIGITS = 0.3;

/** Whether cells look like column names: two at least, each a short text of its own that is no number, date, id or address. */
export function looksLikeHeader(cells: readonly string[]): boolean {
  if (cells.length < 2) return false;
  const names = new Set(cells.map((cell) => cell.trim().toLowerCase()));
  return names.size === cells.length && [...names].every(looksLikeName);
}

function looksLikeName(cell: string): boolean {
  return (
    cell.length <= LONGEST_NAME && /\p{L}/u.test(cell) && !SEPARATORS.test(cell) && !looksLikeValue(cell)
  );
}

/** Whether a cell looks like a value rather than a column's name. */
export function looksLikeValue(cell: string): boolean {
  const digits = cell.replaceAll(/\D/g, '').length;
  return /^[\s+-]*\d/.test(cell) || cell.includes('@') || digits > MOST_DIGITS * cell.length;
}
