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
  readonly stop: Exclude<CsvStep, { kind: 'record' }>;
};

/** Goes over well-formed records from `from`; blank lines between them are passed over. */
export function readRun(
  text: string,
  from: { readonly at: number; readonly line: number },
  final: boolean,
  shape: CsvShape,
): CsvRun {
  const starts: number[] = [];
  const lines: number[] = [];
  const { newline, quote } = shape.dialect;
  let { at, line } = from;
  let quoteAt = -1;
  for (;;) {
    if (at >= text.length) return { end: at, line, starts, lines, stop: { kind: 'wait' } };
    if (quoteAt < at) quoteAt = indexOrEnd(text, quote, at);
    const end = indexOfNewline(text, at, newline);
    const plain = end !== -1 && end < quoteAt && end - at <= MAX_RECORD_CHARS && !isHalf(text, end, final);
    const step: CsvStep = plain
      ? { kind: 'record', next: afterNewline(text, end) }
      : stepAt(text, at, final, shape);
    if (step.kind !== 'record') return { end: at, line, starts, lines, stop: step };
    if (!isBlank(text, at, step.next, shape.dialect)) {
      starts.push(at - from.at);
      lines.push(line);
    }
    line += plain ? 1 : countNewlines(text, { from: at, to: step.next }, newline);
    at = step.next;
  }
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
