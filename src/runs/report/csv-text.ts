/**
 * CSV text for report files, every cell guarded against being run as a formula. Hand-written: with
 * these checks on each cell, csv-stringify takes ten times as long.
 */
import { guardCell } from '../../lib/formula-guard.ts';

type Dialect = { readonly delimiter: string; readonly quote: string };

/** A line feed after each row. Reads back byte-exact after `unguardCell`. */
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
 * Matches cells that need quotes: also a lone CR, which readers take for a line's end; spaces at
 * the ends, which programs drop; any separator a spreadsheet may split at; and a leading `ID`,
 * which makes Excel take the file for SYLK.
 */
function quotedMatch(delimiter: string, quote: string): RegExp {
  return new RegExp(`[${literal(delimiter)}${literal(quote)},;\\t|\\r\\n]|^\\s|\\s$|^ID`);
}

function literal(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function quoted(cell: string, quote: string): string {
  return quote + cell.replaceAll(quote, () => quote + quote) + quote;
}

/** Our reader would refuse a file with line breaks and control characters there. */
export function onOneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ');
}
