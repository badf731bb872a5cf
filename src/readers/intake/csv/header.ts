/**
 * A CSV file's header: the line it stands on, below whatever a partner puts above it, and its
 * column names. A broken header is refused with all that is wrong with it.
 */
import type { Format } from '../../../config/job-definition.ts';
import { unguardCell } from '../../../lib/formula-guard.ts';
import { countOf } from '../../../lib/terminal.ts';
import { UsageError } from '../../../lib/usage-error.ts';
import { REPORT_ROW_COLUMN } from '../../../model/source.ts';
import { nameProblems, trimName } from '../column-names.ts';
import { BAD_BYTES } from '../decode.ts';
import { NO_TEXT } from '../row.ts';
import { ChoiceError, type FileHead, HEAD_CHARS } from '../row-feed.ts';
import { createCsvReader } from './cells.ts';
import { type CsvDialect, delimiterOf } from './grammar.ts';
import type { CsvPiece, CsvRecord } from './records.ts';

/** `delimiter`: the one that a `sep=` line names. */
export type Preamble = {
  /** Index of the header's first character in the head. */
  readonly start: number;
  readonly line: number;
  readonly delimiter: string | null;
};

type LineStart = { readonly start: number; readonly line: number };

/**
 * Skips whole lines, as an editor counts them: CRLF, LF and CR each end one, and quotes mean
 * nothing, so no apostrophe or inch mark in a title shifts the header. A `sep=` line comes first;
 * then `format.header` says the line, or blank lines are skipped.
 */
export function readPreamble(path: string, head: FileHead, format: Format): Preamble {
  const sep = SEP_LINE.exec(head.text);
  const delimiter = sep === null ? null : delimiterOf(sep[2] ?? '');
  if (delimiter !== null) refuseContradiction(path, sep?.[2] ?? '', format);
  const first = sep === null ? TOP : afterLine(head.text, TOP);
  const { header } = format;
  const place = header === undefined ? firstRecord(head.text, first) : startOfGiven(path, head, header);
  if (place.start > HEAD_CHARS) throw noHeaderLine(path, format);
  return { ...place, delimiter };
}

/** Excel's own way to name the delimiter. */
const SEP_LINE = /^("?)sep=(\\t|[^\r\n])\1(?=[\r\n]|$)/i;

const TOP: LineStart = { start: 0, line: 1 };

function refuseContradiction(path: string, named: string, format: Format): void {
  const isOther = format.delimiter !== 'auto' && delimiterOf(format.delimiter) !== delimiterOf(named);
  if (!isOther && format.header !== 1) return;
  const setting = isOther ? `format.delimiter: ${format.delimiter}` : 'format.header: 1';
  throw new UsageError(
    `${path}, line 1: names the delimiter (sep=${named}), against ` +
      `${setting}: expected no contradiction; correct or remove one`,
  );
}

function firstRecord(text: string, from: LineStart): LineStart {
  let place = from;
  while (place.start < text.length && isBlank(text, place.start)) place = afterLine(text, place);
  return place;
}

function isBlank(text: string, start: number): boolean {
  BLANK_LINE.lastIndex = start;
  return BLANK_LINE.test(text);
}

const BLANK_LINE = /[ \u00A0]*(?:[\r\n]|$)/y;

function startOfGiven(path: string, { text, whole }: FileHead, header: number): LineStart {
  let place = TOP;
  while (place.line < header && place.start < text.length) place = afterLine(text, place);
  if (whole && header > 1 && place.start === text.length)
    throw new UsageError(
      `${path}: has only ${countOf(place.line - 1, 'line')}: expected the ` +
        `header on line ${header}, as format.header says; correct format.header`,
    );
  return place;
}

function afterLine(text: string, { start, line }: LineStart): LineStart {
  LINE_END.lastIndex = start;
  const found = LINE_END.exec(text);
  return { start: found === null ? text.length : LINE_END.lastIndex, line: line + 1 };
}

const LINE_END = /\r\n|\n|\r/g;

function noHeaderLine(path: string, { header }: Format): UsageError {
  const place = header === undefined ? '' : ` on line ${header}`;
  return new UsageError(
    `${path}: has no column names${place} within its first ${HEAD_CHARS} ` +
      'characters: expected the header there; correct format.header',
  );
}

export type CsvHeader = {
  readonly columns: readonly string[];
  /** Cells of a record: those of `columns`, then those of nameless columns, which must be empty. */
  readonly width: number;
  /** The file is a report's: its cells are guarded against formulas. */
  readonly isReport: boolean;
  readonly headerLine: number;
};

type Told = { readonly preamble: Preamble; readonly dialect: CsvDialect };

export function readHeader(path: string, head: FileHead, told: Told, format: Format): CsvHeader {
  const { preamble, dialect } = told;
  const record = headerRecord(path, head, told);
  const { text, cells, line } = record;
  if (format.header !== undefined && line !== preamble.line)
    throw new UsageError(
      `${path}, line ${preamble.line}: is blank: expected the header there, as format.header says; correct format.header`,
    );
  const names = cells.map(trimName);
  refuseOtherQuote(`${path}, line ${line}`, record, dialect.quote);
  const isReport = names.includes(REPORT_ROW_COLUMN);
  const columns = withoutNamelessEnd(isReport ? names.map(unguardCell) : names);
  const problems = [...encodingProblems(text, columns), ...nameProblems(columns, columnNumber)].slice(
    0,
    MAX_PROBLEMS,
  );
  if (problems.length > 0) throw new UsageError(problems.map((p) => `${path}, line ${line}: ${p}`));
  return { columns, width: cells.length, isReport, headerLine: line };
}

function headerRecord(path: string, { text, whole }: FileHead, { preamble, dialect }: Told): CsvRecord {
  const body = text.slice(preamble.start, HEAD_CHARS);
  const [first] = createCsvReader(dialect, preamble.line)(body, whole && text.length <= HEAD_CHARS);
  if (first?.kind !== 'record') throw noHeader(path, first);
  return first;
}

function noHeader(path: string, first: Exclude<CsvPiece, CsvRecord> | undefined): UsageError {
  if (first === undefined) {
    return new UsageError(
      `${path}: the header has no end within ${HEAD_CHARS} characters: ` +
        'expected a line of column names; check that the file is CSV',
    );
  }
  const problem =
    first.kind === 'bad'
      ? first.problem
      : 'a quote that is not closed: expected a closing quote; add it or remove the quote';
  return new UsageError(`${path}, line ${first.line}: the header has ${problem}; correct the header`);
}

/** Cells in another sign than the quote would be cut at their delimiters, and keep the sign. */
function refuseOtherQuote(place: string, { text, cells }: CsvRecord, quote: string): void {
  const sign = text.trimStart().charAt(0);
  const names = cells.map(trimName).filter((name) => name !== '');
  const isQuoted = names.every((name) => name.length > 1 && name.startsWith(sign) && name.endsWith(sign));
  if (!isQuoted || !OTHER_QUOTES.includes(sign) || sign === quote) return;
  throw new ChoiceError(
    `${place}: all names stand in ${sign}: expected names in ${quote} or in none; set format.quote: ${JSON.stringify(sign)}`,
    [{ setting: 'quote', value: sign, shows: names.map((name) => name.slice(1, -1)) }],
  );
}

const OTHER_QUOTES = ["'", '"', '`'];

/**
 * Drops empty names at the end, as spreadsheets write them. If all are empty they stay, to be
 * refused.
 */
function withoutNamelessEnd(names: readonly string[]): readonly string[] {
  return names.slice(0, 1 + names.findLastIndex((name) => name !== '') || names.length);
}

const MAX_PROBLEMS = 20;

/** csv-parse turns `BAD_BYTES` into U+FFFD, so only the text shows for sure that there are some. */
function encodingProblems(text: string, columns: readonly string[]): string[] {
  if (!text.includes(BAD_BYTES)) return [];
  const number = 1 + columns.findIndex((name) => name.includes(BAD_BYTES) || name.includes('\uFFFD'));
  return [
    `column ${number} of the header holds ${NO_TEXT}; save the file again as utf-8 (in Excel: "CSV UTF-8")`,
  ];
}

function columnNumber(at: number): string {
  return String(at + 1);
}
