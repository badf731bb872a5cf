/**
 * A CSV file's header: the line it stands on, below whatever a partner puts above it, and its
 * column names. A broken header is refused with all that is wrong with it.
 */
import type { Format } from '../../config/job-definition.ts';
import { unguardCell } from '../../lib/formula-guard.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { REPORT_ROW_COLUMN } from '../../model/source.ts';
import { nameProblems } from '../column-names.ts';
import { BAD_BYTES } from '../decode.ts';
import { NO_TEXT } from '../row.ts';
import { type FileHead, HEAD_CHARS } from '../row-feed.ts';
import { createCsvReader } from './cells.ts';
import { type CsvDialect, countNewlines, delimiterOf } from './grammar.ts';
import type { CsvPiece, CsvRecord } from './records.ts';

/** `delimiter`: the one that a `sep=` line names. */
export type Preamble = {
  /** Index of the header's first character in the head. */
  readonly start: number;
  readonly line: number;
  readonly delimiter: string | null;
  readonly isGiven: boolean;
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
  if (delimiter !== null) refuseContradiction(path, delimiter, format);
  const first = sep === null ? TOP : afterLine(head.text, TOP);
  const place = format.header === undefined ? firstRecord(head.text, first) : startOfGiven(head, format);
  if (place === null || place.start > HEAD_CHARS) throw noSuchLine(path, head, format);
  return { ...place, delimiter, isGiven: format.header !== undefined };
}

/** Excel's own way to name the delimiter. */
const SEP_LINE = /^("?)sep=(\\t|[^\r\n])\1(?=[\r\n]|$)/i;

const TOP: LineStart = { start: 0, line: 1 };

function refuseContradiction(path: string, delimiter: string, format: Format): void {
  const wanted = delimiterOf(format.delimiter);
  if (format.delimiter !== 'auto' && wanted !== delimiter) {
    throw new UsageError(
      `${path}, line 1: says sep=${shownDelimiter(delimiter)}, but format.delimiter is ${shownDelimiter(wanted)}: expected the same sign; remove one of the two`,
    );
  }
  if (format.header !== 1) return;
  throw new UsageError(
    `${path}, line 1: says sep=${shownDelimiter(delimiter)}, but format.header is 1: expected column names on the header's line; set format.header: 2, or leave it out`,
  );
}

function shownDelimiter(delimiter: string): string {
  return delimiter === '\t' ? '\\t' : delimiter;
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

/** `null`: the head has no such line. */
function startOfGiven(head: FileHead, { header = 1 }: Format): LineStart | null {
  let place = TOP;
  while (place.line < header && place.start < head.text.length) place = afterLine(head.text, place);
  return place.line === header && (header === 1 || place.start < head.text.length) ? place : null;
}

function afterLine(text: string, { start, line }: LineStart): LineStart {
  LINE_END.lastIndex = start;
  const found = LINE_END.exec(text);
  return { start: found === null ? text.length : LINE_END.lastIndex, line: line + 1 };
}

const LINE_END = /\r\n|\n|\r/g;

function noSuchLine(path: string, head: FileHead, { header }: Format): UsageError {
  const wanted = header === undefined ? 'a header' : `the header on line ${header}, as format.header says`;
  if (head.whole && header !== undefined) {
    const lines = linesIn(head.text);
    return new UsageError(
      `${path}: expected ${wanted}, but the file has only ${lines} ${lines === 1 ? 'line' : 'lines'}; correct format.header`,
    );
  }
  return new UsageError(
    `${path}: expected ${wanted} within its first ${HEAD_CHARS} characters; correct format.header, or remove what stands above the header`,
  );
}

function linesIn(text: string): number {
  let place = TOP;
  while (place.start < text.length) place = afterLine(text, place);
  return place.line - 1;
}

export type CsvHeader = {
  readonly columns: readonly string[];
  /** Cells of a record: those of `columns`, then those of nameless columns, which must be empty. */
  readonly width: number;
  /** The file is a report's: its cells are guarded against formulas. */
  readonly isReport: boolean;
  readonly headerLine: number;
  readonly end: number;
  readonly line: number;
};

type Told = { readonly preamble: Preamble; readonly dialect: CsvDialect };

/** UsageError with all problems where the header is broken. */
export function readHeader(path: string, head: FileHead, told: Told): CsvHeader {
  const { preamble, dialect } = told;
  const { text, cells, line, start, lineEnd } = headerRecord(path, head, told);
  if (preamble.isGiven && line !== preamble.line) throw noRecord(path, preamble.line);
  const names = cells.map(trimName);
  refuseOtherQuote(path, line, { text, names, quote: dialect.quote });
  const isReport = names.includes(REPORT_ROW_COLUMN);
  const columns = withoutNamelessEnd(isReport ? names.map(unguardCell) : names);
  const problems = [...encodingProblems(text, columns), ...columnProblems(columns)].slice(0, MAX_PROBLEMS);
  if (problems.length > 0) throw new UsageError(problems.map((p) => `${path}, line ${line}: ${p}`));
  const whole = text + lineEnd;
  const lines = countNewlines(whole, { from: 0, to: whole.length }, dialect.newline);
  const end = preamble.start + start + whole.length;
  return { columns, width: cells.length, isReport, headerLine: line, end, line: line + lines };
}

function headerRecord(path: string, head: FileHead, { preamble, dialect }: Told): CsvRecord {
  const body = head.text.slice(preamble.start);
  const [first] = createCsvReader(dialect, preamble.line)(body, head.whole);
  if (first?.kind !== 'record') throw noHeader(path, first);
  if (preamble.start + first.start + first.text.length > HEAD_CHARS) throw noHeader(path, undefined);
  return first;
}

function noHeader(path: string, first: Exclude<CsvPiece, CsvRecord> | undefined): UsageError {
  if (first === undefined) {
    return new UsageError(
      `${path}: the header has no end within ${HEAD_CHARS} characters: expected a line of column names; check that the file is CSV`,
    );
  }
  const problem =
    first.kind === 'bad'
      ? first.problem
      : 'a quote that is not closed: expected a closing quote; add it or remove the quote';
  return new UsageError(`${path}, line ${first.line}: the header has ${problem}; correct the header`);
}

/**
 * All names stand in another sign than the quote: cells with a delimiter would be cut, and the
 * others keep the signs.
 */
function refuseOtherQuote(
  path: string,
  line: number,
  {
    text,
    names,
    quote,
  }: { readonly text: string; readonly names: readonly string[]; readonly quote: string },
): void {
  const sign = OTHER_QUOTES.find((one) => one !== quote && text.trimStart().startsWith(one));
  const given = names.filter((name) => name !== '');
  if (
    sign === undefined ||
    !given.every((name) => name.length > 1 && name.startsWith(sign) && name.endsWith(sign))
  )
    return;
  const set = sign === '"' ? `'"'` : `"${sign}"`;
  throw new UsageError(
    `${path}, line ${line}: all names of the header stand in ${sign}: expected names in ${quote} or in none; set format.quote: ${set}`,
  );
}

const OTHER_QUOTES = ["'", '"', '`'];

function noRecord(path: string, line: number): UsageError {
  return new UsageError(
    `${path}, line ${line}: is blank, but format.header says that the header is there: expected column names; correct format.header`,
  );
}

/**
 * Drops invisible characters at both ends: spaces of every kind, signs without width, marks of byte
 * order and direction. No expression for the end: it would take quadratic time on a run of spaces.
 */
function trimName(name: string): string {
  const chars = [...name];
  const isVisible = (char: string) => !INVISIBLE.test(char);
  return chars.slice(chars.findIndex(isVisible), 1 + chars.findLastIndex(isVisible)).join('');
}

const INVISIBLE = /^[\s\p{Cf}]$/u;

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

function columnProblems(columns: readonly string[]): readonly string[] {
  if (columns.length <= MAX_COLUMNS) return nameProblems(columns, (at) => String(at + 1));
  return [
    `the header has ${columns.length} columns: expected at most ${MAX_COLUMNS}; check that it is the right file`,
  ];
}

const MAX_COLUMNS = 10_000;
