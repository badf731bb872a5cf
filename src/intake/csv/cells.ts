/**
 * The cells of CSV records, as csv-parse reads them. Records without a quote are split at their
 * delimiters: csv-parse takes ten times as long. Records with escapes are read by our grammar:
 * csv-parse would drop the escape before any character, in a Windows path too.
 */
import { parse } from 'csv-parse/sync';
import {
  afterNewline,
  CR,
  type CsvDialect,
  cutCell,
  indexOfNewline,
  indexOrEnd,
  LF,
  type TextView,
  withinQuotes,
} from './grammar.ts';

/** Well-formed records; `starts`: the index of each one's first character. */
type RecordsText = { readonly text: string; readonly starts: readonly number[] };

/** One list of cells per record, without blank lines; records may differ in length. */
type CellParser = (records: RecordsText) => readonly string[][];

export function createCellParser(dialect: CsvDialect): CellParser {
  const parseAll = createTextParser(dialect);
  // Only csv-parse knows what `trim` takes off around cells.
  if (dialect.trim) return ({ text }) => parseAll(text);
  return (records) => {
    const plain = cutPlain(records, dialect);
    const quoted = plain.flatMap((cells, i) => (cells === null ? [i] : []));
    if (quoted.length === 0) return plain.map((cells) => cells ?? []);
    const parsed = parseAll(quoted.map((i) => lineOf(records, i, dialect)).join(''));
    // Where csv-parse counts differently, it parses all; the caller notices the other number.
    if (parsed.length !== quoted.length) return parseAll(records.text);
    let next = 0;
    return plain.map((cells) => cells ?? parsed[next++] ?? []);
  };
}

function cutPlain({ text, starts }: RecordsText, dialect: CsvDialect): Array<string[] | null> {
  const { quote, delimiter, newline } = dialect;
  let quoteAt = indexOrEnd(text, quote, 0);
  return starts.map((start) => {
    if (quoteAt < start) quoteAt = indexOrEnd(text, quote, start);
    const found = indexOfNewline(text, start, newline);
    const end = found === -1 ? text.length : found;
    if (quoteAt < end) return null;
    const isCrLf = text.charCodeAt(end) === LF && text.charCodeAt(end - 1) === CR;
    return text.slice(start, isCrLf ? end - 1 : end).split(delimiter);
  });
}

/** Ends with a line end, which the last record of a file may lack. */
function lineOf({ text, starts }: RecordsText, index: number, { newline }: CsvDialect): string {
  const record = text.slice(starts[index], starts[index + 1]);
  const isEnded = record.endsWith('\n') || (newline === 'cr' && record.endsWith('\r'));
  return isEnded ? record : `${record}\n`;
}

export function createTextParser(dialect: CsvDialect): (text: string) => string[][] {
  const { trim, escape: sign } = dialect;
  if (sign !== null) return (text) => readEscaped(text, { ...dialect, escape: sign });
  const options = {
    columns: false as const,
    delimiter: dialect.delimiter,
    quote: dialect.quote,
    escape: dialect.quote,
    record_delimiter: dialect.newline === 'lf' ? ['\r\n', '\n'] : ['\r\n', '\n', '\r'],
    skip_empty_lines: true,
    // The reader compares lengths with the header's, and reports them.
    relax_column_count: true,
    trim,
  };
  if (!trim) return (text) => parse(text, options);
  // csv-parse trims only outside the quotes.
  return (text) => parse(text, options).map((cells) => cells.map((cell) => cell.trim()));
}

type EscapedDialect = CsvDialect & { readonly escape: string };

function readEscaped(text: string, dialect: EscapedDialect): string[][] {
  const view = { text, end: text.length, final: true };
  const cellText = createCellText(view, dialect);
  const records: string[][] = [];
  let cells: string[] = [];
  for (let start = 0; start < text.length || cells.length > 0; ) {
    const cut = cutCell(view, start, dialect);
    if (cut.kind !== 'delimiter' && cut.kind !== 'newline' && cut.kind !== 'end')
      throw new Error('a record that was cut as well-formed is not');
    const isEmpty =
      cells.length === 0 && cut.kind !== 'delimiter' && isBlank(text.slice(start, cut.at), dialect);
    if (!isEmpty) cells.push(cellText(start, cut.at));
    start = cut.kind === 'newline' ? afterNewline(text, cut.at) : cut.at + 1;
    if (cut.kind === 'delimiter') continue;
    if (!isEmpty) records.push(cells);
    cells = [];
  }
  return records;
}

function isBlank(line: string, { trim }: CsvDialect): boolean {
  return line === '' || (trim && line.trim() === '');
}

/** For a well-formed cell: without its quotes, and without escapes before quotes and escapes. */
function createCellText(view: TextView, dialect: EscapedDialect): (start: number, end: number) => string {
  const { escape: sign, quote, trim } = dialect;
  const escaped = new RegExp(`${literal(sign)}([${literal(sign)}${literal(quote)}])`, 'g');
  return (start, end) => {
    const quoted = withinQuotes(view, { start, end }, dialect);
    const text = quoted === null ? view.text.slice(start, end) : quoted.replaceAll(escaped, '$1');
    return trim ? text.trim() : text;
  };
}

function literal(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
