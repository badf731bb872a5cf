import { afterNewline, countNewlines, indexOfNewline } from './csv-dialect.ts';
import { readRun } from './csv-run.ts';
import type { CsvShape, CsvStep } from './csv-step.ts';
import { MAX_UNREADABLE_CHARS } from './limits.ts';

/** A stretch of a CSV file. */
export type CsvPiece =
  /** Well-formed records: `starts` (index into `text`) and `lines` (1 = first of the file), one entry per record. */
  | {
      readonly kind: 'records';
      readonly text: string;
      readonly starts: readonly number[];
      readonly lines: readonly number[];
      /** The positions of those that blank lines stand before. */
      readonly afterBlank: ReadonlySet<number>;
    }
  /** One record that can't be read; `text` is bounded. */
  | { readonly kind: 'bad'; readonly text: string; readonly line: number; readonly problem: string }
  /** The quote opened on `line` isn't closed: nothing after it can be told apart. */
  | { readonly kind: 'unclosed'; readonly line: number };

/** The pieces that can be told with this text; `final`: the file ends with it. */
export type CsvSplitter = (chunk: string, final: boolean) => readonly CsvPiece[];

type Bad = { readonly text: string; readonly line: number; readonly problem: string };

type State = {
  readonly shape: CsvShape;
  /** What is at hand of the file, and how far it has been told. */
  text: string;
  at: number;
  /** The line at `at`. */
  line: number;
  isBlankBefore: boolean;
  /** A bad record, or a comment to skip, whose line end is still to come. */
  unended: Bad | 'skip' | null;
  pieces: CsvPiece[];
};

/**
 * Cuts text that begins at a record into pieces. csv-parse can't do it alone: after a stray quote it either
 * stops or (`skip_records_with_error`) stays inside the quotes and loses the records that follow.
 */
export function createCsvSplitter(shape: CsvShape, firstLine: number): CsvSplitter {
  const start = { text: '', at: 0, line: firstLine, isBlankBefore: false, unended: null };
  const state: State = { shape, ...start, pieces: [] };
  return (chunk, final) => {
    const text = state.text.slice(state.at) + chunk;
    // A lone CR at the very end: the file was cut off between CR and LF.
    state.text = final && text.endsWith('\r') ? `${text}\n` : text;
    state.at = 0;
    state.pieces = [];
    while (advance(state, final));
    return state.pieces;
  };
}

/** Takes one run of records and what stops it; answers whether more can be told. */
function advance(state: State, final: boolean): boolean {
  if (state.unended !== null && !passLine(state, state.unended, final)) return false;
  const { stop, end, line, isBlankBefore, ...records } = readRun(state.text, state, final, state.shape);
  if (records.starts.length > 0) {
    state.pieces.push({ kind: 'records', text: state.text.slice(state.at, end), ...records });
  }
  state.at = end;
  state.line = line;
  state.isBlankBefore = isBlankBefore;
  if (stop.kind === 'bad') startBad(state, stop, final);
  if (stop.kind === 'comment') state.unended = 'skip';
  if (stop.kind === 'unclosed') {
    const before = countNewlines(state.text, { from: end, to: stop.quote }, state.shape.dialect.newline);
    state.pieces.push({ kind: 'unclosed', line: line + before });
  }
  return stop.kind === 'bad' || stop.kind === 'comment';
}

function startBad(state: State, step: Extract<CsvStep, { kind: 'bad' }>, final: boolean): void {
  const text = bounded(state.text.slice(state.at, step.next));
  const bad = { text, line: state.line, problem: step.problem };
  state.line += countNewlines(state.text, { from: state.at, to: step.next }, state.shape.dialect.newline);
  state.at = step.next;
  state.isBlankBefore = false;
  if (!step.ended) state.unended = bad;
  else {
    state.pieces.push({ kind: 'bad', ...bad, text: withoutLineEnd(text) });
    while (state.unended === null && state.at < step.doubtful) takeDoubtful(state, bad.line, final);
  }
}

/** Makes a bad record of one line that may belong to the bad record before it. */
function takeDoubtful(state: State, badLine: number, final: boolean): void {
  const { text, at } = state;
  const isBlank = indexOfNewline(text, at, state.shape.dialect.newline) === at || text.startsWith('\r\n', at);
  passLine(state, isBlank ? 'skip' : { text: '', line: state.line, problem: doubtful(badLine) }, final);
}

function doubtful(line: number): string {
  return `may be a part of the record of line ${line}, whose quotes don't pair up: expected quotes only around a whole cell, and doubled inside it`;
}

/** Passes over the rest of a line; answers whether its end was there. */
function passLine(state: State, unended: Bad | 'skip', final: boolean): boolean {
  const found = indexOfNewline(state.text, state.at, state.shape.dialect.newline);
  const isHalf = found === state.text.length - 1 && state.text.endsWith('\r');
  const isEnded = final || (found !== -1 && !isHalf);
  const end = found === -1 ? state.text.length : found;
  const whole = unended === 'skip' ? unended : withMore(unended, state, end);
  state.at = isEnded && found !== -1 ? afterNewline(state.text, found) : end;
  state.unended = isEnded ? null : whole;
  if (!isEnded) return false;
  state.line += 1;
  if (whole !== 'skip') state.pieces.push({ kind: 'bad', ...whole, text: withoutLineEnd(whole.text) });
  return true;
}

function withMore(bad: Bad, { text, at }: State, end: number): Bad {
  return { ...bad, text: bounded(bad.text + text.slice(at, Math.min(end, at + MAX_UNREADABLE_CHARS))) };
}

function bounded(text: string): string {
  return text.length > MAX_UNREADABLE_CHARS ? text.slice(0, MAX_UNREADABLE_CHARS) : text;
}

/** The text of a record without the line ends after it. */
export function withoutLineEnd(text: string): string {
  let end = text.length;
  while (text.charAt(end - 1) === '\n' || text.charAt(end - 1) === '\r') end -= 1;
  return text.slice(0, end);
}
