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
  /** A bad record whose line end is still to come. */
  unended: Bad | null;
  pieces: CsvPiece[];
};

/**
 * Cuts text that begins at a record into pieces. csv-parse can't do it alone: after a stray quote it either
 * stops or (`skip_records_with_error`) stays inside the quotes and loses the records that follow.
 */
export function createCsvSplitter(shape: CsvShape, firstLine: number): CsvSplitter {
  const state: State = { shape, text: '', at: 0, line: firstLine, unended: null, pieces: [] };
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
  if (state.unended !== null && !endBad(state, state.unended, final)) return false;
  const { stop, end, line, starts, lines } = readRun(state.text, state, final, state.shape);
  if (starts.length > 0) {
    state.pieces.push({ kind: 'records', text: state.text.slice(state.at, end), starts, lines });
  }
  state.at = end;
  state.line = line;
  if (stop.kind === 'bad') startBad(state, stop);
  if (stop.kind === 'unclosed') {
    const before = countNewlines(state.text, { from: end, to: stop.quote }, state.shape.dialect.newline);
    state.pieces.push({ kind: 'unclosed', line: line + before });
  }
  return stop.kind === 'bad';
}

function startBad(state: State, step: Extract<CsvStep, { kind: 'bad' }>): void {
  const text = bounded(state.text.slice(state.at, step.next));
  const bad = { text, line: state.line, problem: step.problem };
  state.line += countNewlines(state.text, { from: state.at, to: step.next }, state.shape.dialect.newline);
  state.at = step.next;
  if (step.ended) state.pieces.push({ kind: 'bad', ...bad, text: withoutLineEnd(text) });
  else state.unended = bad;
}

/** Passes over the rest of a bad record; answers whether its end was there. */
function endBad(state: State, bad: Bad, final: boolean): boolean {
  const found = indexOfNewline(state.text, state.at, state.shape.dialect.newline);
  const isHalf = found === state.text.length - 1 && state.text.endsWith('\r');
  const isEnded = final || (found !== -1 && !isHalf);
  const end = found === -1 ? state.text.length : found;
  const whole = {
    ...bad,
    text: bounded(bad.text + state.text.slice(state.at, Math.min(end, state.at + MAX_UNREADABLE_CHARS))),
  };
  state.at = isEnded && found !== -1 ? afterNewline(state.text, found) : end;
  state.unended = isEnded ? null : whole;
  if (!isEnded) return false;
  state.line += 1;
  state.pieces.push({ kind: 'bad', ...whole, text: withoutLineEnd(whole.text) });
  return true;
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
