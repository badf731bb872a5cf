/** CSV records with their cells. csv-parse takes ten times as long as a split at the delimiters. */
import { parse } from 'csv-parse/sync';
import { orElse } from '../../../lib/errors.ts';
import { MAX_UNREADABLE_CHARS } from '../row.ts';
import type { CsvDialect } from './grammar.ts';
import { type CsvPiece, type CsvRecord, createCsvSplitter } from './records.ts';

export function createCsvReader(
  dialect: CsvDialect,
  firstLine: number,
): (chunk: string, final: boolean) => readonly CsvPiece[] {
  const split = createCsvSplitter(dialect, firstLine);
  const parseRecords = createParser(dialect);
  return (chunk, final) => {
    const pieces = split(chunk, final);
    const quoted = pieces.filter(isQuoted);
    const parsed = quoted.length === 0 ? [] : parseRecords(quoted.map(linesOf).join(''));
    // Splitter and parser follow one grammar; no row may be sent under a wrong number.
    if (parsed.length !== quoted.length)
      throw new Error(`cut ${quoted.length} records, but csv-parse reads ${parsed.length}`);
    for (const [i, { cells }] of quoted.entries()) cells.push(...(parsed[i] ?? []));
    return pieces;
  };
}

/**
 * The cells of a damaged record's text, as far as they can be told; of several records the first's.
 * None where the end of the text was not kept.
 */
export function cellsOfText(
  text: string,
  dialect: Pick<CsvDialect, 'delimiter' | 'quote'>,
): readonly string[] | null {
  if (text.length >= MAX_UNREADABLE_CHARS) return null;
  const lenient = {
    ...dialect,
    escape: dialect.quote,
    relax_quotes: true,
    relax_column_count: true,
    to: 1,
  };
  const [line = ''] = text.split(/\r?\n|\r/, 1);
  const [cells = []] = orElse<string[][]>([line.split(dialect.delimiter)], () => parse(text, lenient));
  return cells;
}

function isQuoted(piece: CsvPiece): piece is CsvRecord {
  return piece.kind === 'record' && !piece.isPlain;
}

/** Behind a CR of the last cell, LF alone would end the record before the CR. */
function linesOf({ text }: CsvRecord): string {
  return `${text}\r\n`;
}

function createParser(dialect: CsvDialect): (text: string) => string[][] {
  const { delimiter, quote, trim, newline } = dialect;
  const options = {
    columns: false as const,
    delimiter,
    quote,
    escape: quote,
    record_delimiter: newline === 'lf' ? ['\r\n', '\n'] : ['\r\n', '\n', '\r'],
    // The reader compares lengths with the header's, and reports them.
    relax_column_count: true,
    trim,
  };
  const prepare = createPreparation(dialect);
  const parseAll = (text: string) => parse(prepare(text), options);
  // csv-parse trims only outside the quotes.
  return trim ? (text) => parseAll(text).map((cells) => cells.map((cell) => cell.trim())) : parseAll;
}

/**
 * What csv-parse reads in another way, in well-formed records: escapes, which it would drop before
 * any character, in a Windows path too, and blanks behind a closing quote, of which it takes ASCII.
 */
function createPreparation({ quote, delimiter, trim, escape: sign }: CsvDialect): (text: string) => string {
  if (sign === null && !trim) return (text) => text;
  const [q, e] = [literal(quote), literal(sign ?? quote)];
  const within = sign === null ? q + q : `${e}[^]`;
  const blanks = trim ? `[^\\S\\r\\n${literal(delimiter)}]*` : '';
  const cell = new RegExp(`(${q}[^${q}${e}]*(?:${within}[^${q}${e}]*)*${q})${blanks}`, 'g');
  const escaped = new RegExp(`${e}([${q}${e}])`, 'g');
  const plain = (_: string, own: string) => (own === quote ? quote + quote : own);
  return (text) =>
    text.replaceAll(cell, (_, own: string) => (sign === null ? own : own.replaceAll(escaped, plain)));
}

function literal(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
