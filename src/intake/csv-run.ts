import type { CsvDialect } from './csv-dialect.ts';
import { afterNewline, countNewlines, indexOfNewline } from './csv-dialect.ts';
import type { CsvShape, CsvStep } from './csv-step.ts';
import { stepAt } from './csv-step.ts';
import { MAX_RECORD_CHARS } from './limits.ts';

/** Well-formed records in a row, and what stands after them. */
export type CsvRun = {
  /** Index of the first character after them. */
  readonly end: number;
  /** Its line. */
  readonly line: number;
  /** Index of each record's first character, from the start of the run. */
  readonly starts: readonly number[];
  /** Line of each record's first character. */
  readonly lines: readonly number[];
  /** Positions in `starts` of the records that blank lines stand before. */
  readonly afterBlank: ReadonlySet<number>;
  /** A blank line stands right before `end`. */
  readonly isBlankBefore: boolean;
  readonly stop: Exclude<CsvStep, { kind: 'record' }>;
};

/** Goes over well-formed records from `from`; blank lines between them are passed over. */
export function readRun(
  text: string,
  from: { readonly at: number; readonly line: number; readonly isBlankBefore: boolean },
  final: boolean,
  shape: CsvShape,
): CsvRun {
  const { newline, quote, comment } = shape.dialect;
  const { at: first, line, isBlankBefore } = from;
  const run: Run = { starts: [], lines: [], afterBlank: new Set(), at: first, line, isBlankBefore };
  let quoteAt = -1;
  for (;;) {
    const { at } = run;
    if (at >= text.length) return told(run, { kind: 'wait' });
    if (quoteAt < at) quoteAt = indexOrEnd(text, quote, at);
    const end = indexOfNewline(text, at, newline);
    // Most lines have no quote: they needn't be cut into cells to know where they end.
    const isPlain = isShort(at, end, quoteAt) && text.charAt(at) !== comment && !isHalf(text, end, final);
    const step = isPlain ? recordUpTo(text, end) : stepAt(text, at, final, shape);
    if (step.kind !== 'record') return told(run, step);
    if (isBlank(text, at, step.next, shape.dialect)) run.isBlankBefore = true;
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

function indexOrEnd(text: string, quote: string, from: number): number {
  const at = text.indexOf(quote, from);
  return at === -1 ? text.length : at;
}

/** A CR at the end of the text may be half of a CRLF. */
function isHalf(text: string, newlineAt: number, final: boolean): boolean {
  return !final && newlineAt === text.length - 1 && text.endsWith('\r');
}

function isBlank(text: string, from: number, next: number, dialect: CsvDialect): boolean {
  const first = text.charCodeAt(from);
  if (first === LF) return true;
  if (first === CR && (dialect.newline === 'cr' || text.charCodeAt(from + 1) === LF)) return true;
  if (!dialect.trim || first > SPACE) return false;
  const line = text.slice(from, next);
  return line.trim() === '' && !line.includes(dialect.delimiter);
}

const LF = 10;
const CR = 13;
const SPACE = 32;
