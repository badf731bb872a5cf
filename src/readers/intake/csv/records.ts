/**
 * Cuts CSV text into records. A line where no well-formed record begins is a piece of its own, and
 * cutting goes on below it. Block boundaries never change the pieces.
 */
import { MAX_RECORD_CHARS, MAX_UNREADABLE_CHARS, TOO_LONG } from '../row.ts';
import {
  afterNewline,
  CR,
  type CsvDialect,
  countNewlines,
  cutRecord,
  indexOfNewline,
  indexOrEnd,
  LF,
} from './grammar.ts';

/** Well-formed; its line is counted from 1. */
export type CsvRecord = {
  readonly kind: 'record';
  readonly line: number;
  /** Without its line end. */
  readonly text: string;
  /** On one line and without a quote. */
  readonly isPlain: boolean;
  /** None yet where it isn't plain. */
  readonly cells: string[];
};

/** Without its line end; no more of it than shows that it is too long to be kept. */
export type BadLine = {
  readonly kind: 'bad';
  readonly text: string;
  readonly line: number;
  readonly problem: string;
};

/** The quote opened on `line` isn't closed: nothing after it can be told apart. */
type Unclosed = { readonly kind: 'unclosed'; readonly line: number };

export type CsvPiece = CsvRecord | BadLine | Unclosed;

/** Returns the pieces that are sure so far; `final`: the file ends with this chunk. */
type CsvSplitter = (chunk: string, final: boolean) => readonly CsvPiece[];

type Splitting = {
  readonly dialect: CsvDialect;
  text: string;
  /** A CR that ended the last chunk: it may be half of a CRLF. */
  held: string;
  at: number;
  line: number;
  /** A bad line whose end hasn't come yet. */
  bad: BadLine | null;
  pieces: CsvPiece[];
};

export function createCsvSplitter(dialect: CsvDialect, firstLine: number): CsvSplitter {
  const start = { text: '', held: '', at: 0, line: firstLine, bad: null };
  const state: Splitting = { dialect, ...start, pieces: [] };
  return (chunk, final) => {
    const text = state.text.slice(state.at) + state.held + chunk;
    state.held = text.endsWith('\r') ? '\r' : '';
    state.text = state.held === '' ? text : withoutHalf(text, final);
    state.at = 0;
    state.pieces = [];
    while (advance(state, final));
    return state.pieces;
  };
}

/** A CR at the end of the file was cut off between CR and LF. */
function withoutHalf(text: string, final: boolean): string {
  return final ? `${text}\n` : text.slice(0, -1);
}

function advance(state: Splitting, final: boolean): boolean {
  if (state.bad !== null && !passLine(state, state.bad, final)) return false;
  const stop = takeRecords(state, final);
  const { line } = state;
  if (stop.kind === 'unclosed') {
    const range = { from: state.at, to: stop.quote };
    const before = countNewlines(state.text, range, state.dialect.newline);
    state.pieces.push({ kind: 'unclosed', line: line + before });
  }
  if (stop.kind !== 'bad') return false;
  state.bad = { kind: 'bad', text: '', line, problem: stop.problem };
  return true;
}

function passLine(state: Splitting, bad: BadLine, final: boolean): boolean {
  const { text, at } = state;
  const found = indexOfNewline(text, at, state.dialect.newline);
  const isEnded = final || found !== -1;
  const end = found === -1 ? text.length : found;
  const whole = { ...bad, text: (bad.text + text.slice(at, end)).slice(0, MAX_UNREADABLE_CHARS + 1) };
  state.at = isEnded && found !== -1 ? afterNewline(text, found) : end;
  state.bad = isEnded ? null : whole;
  if (!isEnded) return false;
  state.line += 1;
  state.pieces.push({ ...whole, text: whole.text.replace(/[\r\n]+$/, '') });
  return true;
}

function takeRecords(state: Splitting, final: boolean): Stop {
  const { text, dialect } = state;
  let quoteAt = -1;
  for (;;) {
    const { at } = state;
    if (quoteAt < at) quoteAt = indexOrEnd(text, dialect.quote, at);
    const end = indexOfNewline(text, at, dialect.newline);
    // A line without a quote is a whole record: no need to look at its characters.
    const isPlain = end !== -1 && end < quoteAt && end - at <= MAX_RECORD_CHARS;
    const step: CsvStep = isPlain
      ? { kind: 'record', next: afterNewline(text, end) }
      : stepAt(text, at, final, dialect);
    if (step.kind !== 'record') return step;
    pass(state, step.next, isPlain);
  }
}

function pass(state: Splitting, next: number, isPlain: boolean): void {
  const { text, at, line, dialect } = state;
  if (!isBlankLine(text, at, next, dialect)) {
    const own = text.slice(at, next - lineEndBefore(text, next, dialect));
    const cells = isPlain ? plainCells(own, dialect) : [];
    state.pieces.push({ kind: 'record', line, text: own, isPlain, cells });
  }
  state.line += isPlain ? 1 : countNewlines(text, { from: at, to: next }, dialect.newline);
  state.at = next;
}

function plainCells(text: string, { delimiter, trim }: CsvDialect): string[] {
  const cells = text.split(delimiter);
  return trim ? cells.map((cell) => cell.trim()) : cells;
}

/** In characters; the last record of a file may have none. */
function lineEndBefore(text: string, next: number, { newline }: CsvDialect): number {
  const last = text.charCodeAt(next - 1);
  if (last === LF) return text.charCodeAt(next - 2) === CR ? 2 : 1;
  return last === CR && newline === 'cr' ? 1 : 0;
}

function isBlankLine(text: string, from: number, next: number, dialect: CsvDialect): boolean {
  const first = text.charCodeAt(from);
  if (first === LF) return true;
  if (first === CR && (dialect.newline === 'cr' || text.charCodeAt(from + 1) === LF)) return true;
  if (!dialect.trim || first > SPACE) return false;
  const line = text.slice(from, next);
  return line.trim() === '' && !line.includes(dialect.delimiter);
}

const SPACE = 32;

type CsvStep =
  | { readonly kind: 'record'; readonly next: number }
  /** No record begins on the line. */
  | { readonly kind: 'bad'; readonly problem: string }
  /** The quote isn't closed before the end of the file, or within the longest record. */
  | { readonly kind: 'unclosed'; readonly quote: number }
  | { readonly kind: 'wait' };

type Stop = Exclude<CsvStep, { kind: 'record' }>;

/** A record in quotes that is longer than any may be is known as one row up to here. */
const MAX_QUOTED_CHARS = 3 * MAX_RECORD_CHARS;

function stepAt(
  text: string,
  start: number,
  final: boolean,
  dialect: CsvDialect,
  most = MAX_RECORD_CHARS,
): CsvStep {
  if (start >= text.length) return { kind: 'wait' };
  const end = Math.min(text.length, start + most);
  const cut = cutRecord({ text, end, final: final && end === text.length }, start, dialect);
  const tooLong = end < text.length;
  switch (cut.kind) {
    case 'record':
      return cut;
    case 'open':
      if (tooLong && most < MAX_QUOTED_CHARS) return stepAt(text, start, final, dialect, MAX_QUOTED_CHARS);
      return tooLong || final ? { kind: 'unclosed', quote: cut.quote } : { kind: 'wait' };
    case 'part':
      return tooLong ? { kind: 'bad', problem: TOO_LONG } : { kind: 'wait' };
    case 'stray':
      return { kind: 'bad', problem: strayProblem(cut.cells + 1, text.charAt(cut.at - 1), dialect) };
    default:
      return cut satisfies never;
  }
}

function strayProblem(cell: number, before: string, { escape: sign }: CsvDialect): string {
  return `${STRAY_QUOTE} (cell ${cell})${sign === null && before === '\\' ? ESCAPED : ''}`;
}

const STRAY_QUOTE =
  'a quote in the middle of a cell: expected quotes only around a whole cell, and doubled inside it';

const ESCAPED = '; where the file writes \\ before a quote in a cell, set format.escape: "\\\\"';
