import { guardCell } from '../lib/formula-guard.ts';

/** How a CSV file is written; one character each. */
type Dialect = { readonly delimiter: string; readonly quote: string };

/**
 * The rows as CSV text, a line feed after each, every cell guarded against being run as a formula.
 * Reads back byte-exact once `unguardCell` has been over each cell. Written as csv-stringify does, which takes ten times as
 * long over what it has to ask of each cell, and a report has a line for every row of the file.
 */
export function csvText(rows: readonly (readonly string[])[], { delimiter, quote }: Dialect): string {
  const needsQuotes = quotedMatch(delimiter, quote);
  const written = (cell: string) => {
    if (cell === '') return '';
    const guarded = guardCell(cell);
    return needsQuotes.test(guarded) ? quoted(guarded, quote) : guarded;
  };
  let text = '';
  for (const row of rows) text += `${row.map(written).join(delimiter)}\n`;
  return text;
}

/**
 * A lone CR too, which readers take for a line's end. Spaces at a cell's ends are legal without quotes, but programs take
 * them off.
 */
function quotedMatch(delimiter: string, quote: string): RegExp {
  return new RegExp(`[${literal(delimiter)}${literal(quote)}\\r\\n]|^\\s|\\s$`);
}

function literal(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function quoted(cell: string, quote: string): string {
  return quote + cell.replaceAll(quote, () => quote + quote) + quote;
}

/** A cell's text without line breaks and control characters, which would make a spreadsheet or the reader refuse the file. */
export function onOneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ');
}
