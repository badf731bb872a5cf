/**
 * Cuts a CSV file's text into records, block by block, and tells good records from damaged ones. Most lines have no quote, so
 * that their record ends with the line, which takes no look at single characters. The answer is the same however the text
 * was cut into blocks, and only the text of the record that is still open is kept.
 */
import { MAX_RECORD_CHARS, MAX_UNREADABLE_CHARS, TOO_LONG } from '../row.ts';
import { endOfDamage } from './damage.ts';
import {
  afterNewline,
  CR,
  type CsvDialect,
  countNewlines,
  cutRecord,
  indexOfNewline,
  indexOrEnd,
  LF,
  type Stray,
} from './grammar.ts';

export type CsvPiece =
  /** Well-formed records: `starts` (index into `text`) and `lines` (1 = first of the file), one entry per record. */
  | {
      readonly kind: 'records';
      readonly text: string;
      readonly starts: readonly number[];
      readonly lines: readonly number[];
      readonly afterBlank: ReadonlySet<number>;
    }
  | { readonly kind: 'bad'; readonly text: string; readonly line: number; readonly problem: string }
  /** The quote opened on `line` isn't closed, so that nothing after it can be told apart. */
  | { readonly kind: 'unclosed'; readonly line: number };

/** Answers the pieces that can be told with this text; with `final` the file ends with it. */
type CsvSplitter = (chunk: string, final: boolean) => readonly CsvPiece[];

type Splitting = {
  readonly shape: CsvShape;
  text: string;
  at: number;
  line: number;
  isBlankBefore: boolean;
  damaged: number;
  /** A bad record, or a blank line to skip, whose line end is not at hand yet. */
  unended: Bad | 'skip' | null;
  pieces: CsvPiece[];
};

/**
 * Cuts text that begins at a record into pieces. csv-parse can't do it alone: after a stray quote it either
 * stops or (`skip_records_with_error`) stays inside the quotes and loses the records that follow.
 */
export function createCsvSplitter(shape: CsvShape, firstLine: number): CsvSplitter {
  const start = { text: '', at: 0, line: firstLine, isBlankBefore: false, damaged: 0, unended: null };
  const state: Splitting = { shape, ...start, pieces: [] };
  return (chunk, final) => {
    const text = state.text.slice(state.at) + chunk;
    // A lone CR at the end of the file: the file was cut off between CR and LF.
    state.text = final && text.endsWith('\r') ? `${text}\n` : text;
    state.at = 0;
    state.pieces = [];
    while (advance(state, final));
    return state.pieces;
  };
}

function advance(state: Splitting, final: boolean): boolean {
  if (state.unended !== null && !passLine(state, state.unended, final)) return false;
  const { stop, end, line, isBlankBefore, ...records } = readRun(state.text, state, final, state.shape);
  if (records.starts.length > 0) {
    state.pieces.push({ kind: 'records', text: state.text.slice(state.at, end), ...records });
  }
  state.at = end;
  state.line = line;
  state.isBlankBefore = isBlankBefore;
  if (stop.kind === 'bad') startBad(state, stop, final);
  if (stop.kind === 'unclosed') {
    const before = countNewlines(state.text, { from: end, to: stop.quote }, state.shape.dialect.newline);
    state.pieces.push({ kind: 'unclosed', line: line + before });
  }
  return stop.kind === 'bad';
}

type Bad = { readonly text: string; readonly line: number; readonly problem: string };

function startBad(state: Splitting, step: Extract<CsvStep, { kind: 'bad' }>, final: boolean): void {
  const text = bounded(state.text.slice(state.at, step.next));
  const bad = { text, line: state.line, problem: step.problem };
  state.line += countNewlines(state.text, { from: state.at, to: step.next }, state.shape.dialect.newline);
  state.at = step.next;
  state.damaged += 1;
  state.isBlankBefore = false;
  if (!step.ended) state.unended = bad;
  else {
    state.pieces.push({ kind: 'bad', ...bad, text: withoutLineEnd(text) });
    while (state.unended === null && state.at < step.doubtful) takeDoubtful(state, bad.line, final);
  }
}

function takeDoubtful(state: Splitting, badLine: number, final: boolean): void {
  const { text, at } = state;
  const isBlank = indexOfNewline(text, at, state.shape.dialect.newline) === at || text.startsWith('\r\n', at);
  passLine(state, isBlank ? 'skip' : { text: '', line: state.line, problem: doubtful(badLine) }, final);
}

function doubtful(line: number): string {
  return `may be a part of the record of line ${line}, whose quotes don't pair up: expected quotes only around a whole cell, and doubled inside it`;
}

function passLine(state: Splitting, unended: Bad | 'skip', final: boolean): boolean {
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

function withMore(bad: Bad, { text, at }: Splitting, end: number): Bad {
  return { ...bad, text: bounded(bad.text + text.slice(at, Math.min(end, at + MAX_UNREADABLE_CHARS))) };
}

function bounded(text: string): string {
  return text.length > MAX_UNREADABLE_CHARS ? text.slice(0, MAX_UNREADABLE_CHARS) : text;
}

export function withoutLineEnd(text: string): string {
  let end = text.length;
  while (text.charAt(end - 1) === '\n' || text.charAt(end - 1) === '\r') end -= 1;
  return text.slice(0, end);
}

type CsvRun = {
  readonly end: number;
  readonly line: number;
  readonly starts: readonly number[];
  readonly lines: readonly number[];
  readonly afterBlank: ReadonlySet<number>;
  readonly isBlankBefore: boolean;
  readonly stop: Exclude<CsvStep, { kind: 'record' }>;
};

function readRun(
  text: string,
  from: Pick<Splitting, 'at' | 'line' | 'isBlankBefore' | 'damaged'>,
  final: boolean,
  shape: CsvShape,
): CsvRun {
  const { newline, quote } = shape.dialect;
  const { at: first, line, isBlankBefore, damaged } = from;
  const run: Run = { starts: [], lines: [], afterBlank: new Set(), at: first, line, isBlankBefore };
  let quoteAt = -1;
  for (;;) {
    const { at } = run;
    if (at >= text.length) return told(run, { kind: 'wait' });
    if (quoteAt < at) quoteAt = indexOrEnd(text, quote, at);
    const end = indexOfNewline(text, at, newline);
    // A line without a quote needn't be cut into cells to know where its record ends.
    const isPlain = isShort(at, end, quoteAt) && !isHalf(text, end, final);
    const step = isPlain ? recordUpTo(text, end) : stepAt(text, at, final, { ...shape, damaged });
    if (step.kind !== 'record') return told(run, step);
    if (isBlankLine(text, at, step.next, shape.dialect)) run.isBlankBefore = true;
    else take(run, first);
    run.line += isPlain ? 1 : countNewlines(text, { from: at, to: step.next }, newline);
    run.at = step.next;
  }
}

type Run = {
  readonly starts: number[];
  readonly lines: number[];
  readonly afterBlank: Set<number>;
  at: number;
  line: number;
  isBlankBefore: boolean;
};

function take(run: Run, start: number): void {
  if (run.isBlankBefore) run.afterBlank.add(run.starts.length);
  run.isBlankBefore = false;
  run.starts.push(run.at - start);
  run.lines.push(run.line);
}

function told({ at, ...run }: Run, stop: CsvRun['stop']): CsvRun {
  return { ...run, end: at, stop };
}

function isShort(at: number, end: number, quoteAt: number): boolean {
  return end !== -1 && end < quoteAt && end - at <= MAX_RECORD_CHARS;
}

function recordUpTo(text: string, end: number): CsvStep {
  return { kind: 'record', next: afterNewline(text, end) };
}

/** A CR at the end of the text may be half of a CRLF. */
function isHalf(text: string, newlineAt: number, final: boolean): boolean {
  return !final && newlineAt === text.length - 1 && text.endsWith('\r');
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

/** How the file is written, and how many cells a record has; 0 where that is not known yet. */
type CsvShape = { readonly dialect: CsvDialect; readonly columns: number };

/** `damaged`: how many records with a quote where none may stand the file had so far. */
type StepShape = CsvShape & { readonly damaged: number };

type CsvStep =
  | { readonly kind: 'record'; readonly next: number }
  /**
   * `ended`: whether the record ends before `next`; otherwise its line end is searched from there.
   * `doubtful`: the lines from `next` up to this index may be parts of the record or records of their own.
   */
  | {
      readonly kind: 'bad';
      readonly next: number;
      readonly ended: boolean;
      readonly problem: string;
      readonly doubtful: number;
    }
  /** The quote at `quote` isn't closed: before the end of the file, or within the longest record. */
  | { readonly kind: 'unclosed'; readonly quote: number }
  | { readonly kind: 'wait' };

/** Judges the record that starts at `start`; the answer is the same however the file was cut into blocks. */
export function stepAt(text: string, start: number, final: boolean, shape: StepShape): CsvStep {
  const { dialect } = shape;
  const end = Math.min(text.length, start + MAX_RECORD_CHARS);
  const cut = cutRecord({ text, end, final: final && end === text.length }, start, dialect);
  const tooLong = end < text.length;
  switch (cut.kind) {
    case 'record':
      return { kind: 'record', next: cut.next };
    case 'open':
      return tooLong || final ? { kind: 'unclosed', quote: cut.quote } : { kind: 'wait' };
    case 'part':
      return tooLong ? unendedRecord(end, TOO_LONG) : { kind: 'wait' };
    case 'stray':
      return stepOverDamage(text, cut, final, shape);
    default:
      return cut satisfies never;
  }
}

function stepOverDamage(text: string, stray: Stray, final: boolean, shape: StepShape): CsvStep {
  const { dialect, columns, damaged } = shape;
  const most = Math.min(text.length, stray.at + LOOKAHEAD_CHARS);
  if (most === text.length && !final) return { kind: 'wait' };
  const end = damaged < FULL_LOOKS ? most : Math.min(most, afterLines(text, stray.at, dialect));
  const view = { text, end, final: final && end === text.length };
  const { at, doubtful } = endOfDamage({ view, dialect, columns }, stray);
  const isEscaped = dialect.escape === null && text.charAt(stray.at - 1) === '\\';
  const problem = `${STRAY_QUOTE} (cell ${stray.cells + 1})${isEscaped ? ESCAPED : ''}`;
  if (at === null) return unendedRecord(end, problem);
  const next = afterNewline(text, at);
  return { kind: 'bad', next, ended: true, problem, doubtful: Math.max(next, doubtful) };
}

const STRAY_QUOTE =
  'a quote in the middle of a cell: expected quotes only around a whole cell, and doubled inside it';

const ESCAPED = '; where the file writes \\ before a quote in a cell, set format.escape: "\\\\"';

/** How far behind a stray quote its record's end is searched: a fixed length, so that block sizes don't change the answer. */
const LOOKAHEAD_CHARS = 64 * 1024;

/**
 * How many damaged records of a file are looked behind so far. In a file of nothing but lone quotes each look would go over
 * the same text again: one of 1 MB kept the process busy for minutes. Those that follow are looked behind by lines.
 */
const FULL_LOOKS = 500;
const LOOKAHEAD_LINES = 50;

function afterLines(text: string, from: number, { newline }: CsvDialect): number {
  let at = from;
  for (let lines = 0; lines < LOOKAHEAD_LINES; lines += 1) {
    const found = indexOfNewline(text, at, newline);
    if (found === -1) return text.length;
    at = afterNewline(text, found);
  }
  return at;
}

function unendedRecord(next: number, problem: string): CsvStep {
  return { kind: 'bad', next, ended: false, problem, doubtful: next };
}
