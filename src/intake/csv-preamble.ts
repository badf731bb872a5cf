import type { Format } from '../config/job-definition.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { FileHead } from './file-head.ts';
import { HEAD_CHARS } from './file-head.ts';

/** Where the header starts, and the delimiter that a `sep=` line names. */
export type Preamble = {
  /** Index into the head of the header's first character. */
  readonly start: number;
  /** Its line, 1 = first. */
  readonly line: number;
  readonly delimiter: string | null;
  /** The definition says the line. */
  readonly isGiven: boolean;
};

type Place = { readonly start: number; readonly line: number };

/**
 * What stands above the header is passed over by whole lines, as an editor counts them: CRLF, LF and CR each end a line,
 * and quotes mean nothing there, so that no apostrophe or inch mark in a title can shift the header.
 * A `sep=` line first; then `format.header` says the line, or blank lines and comments are passed over.
 */
export function readPreamble(path: string, head: FileHead, format: Format): Preamble {
  const sep = SEP_LINE.exec(head.text);
  const delimiter = sep === null ? null : delimiterOf(sep[2] ?? '');
  if (delimiter !== null) refuseContradiction(path, delimiter, format);
  const first = sep === null ? TOP : afterLine(head.text, TOP);
  const place = format.header === undefined ? firstRecord(head.text, first, format) : lineAt(head, format);
  if (place === null || place.start > HEAD_CHARS) throw noSuchLine(path, head, format);
  return { ...place, delimiter, isGiven: format.header !== undefined };
}

/** Excel's own way to name the delimiter; it takes it in any case, and quoted too. */
const SEP_LINE = /^("?)sep=(\\t|[^\r\n])\1(?=[\r\n]|$)/i;
const TOP: Place = { start: 0, line: 1 };

function delimiterOf(sign: string): string {
  return sign === '\\t' ? '\t' : sign;
}

function refuseContradiction(path: string, delimiter: string, format: Format): void {
  const wanted = delimiterOf(format.delimiter);
  if (format.delimiter !== 'auto' && wanted !== delimiter) {
    throw new UsageError(
      `${path}, line 1: says sep=${shown(delimiter)}, but format.delimiter is ${shown(wanted)}: expected the same sign; remove one of the two`,
    );
  }
  if (format.header !== 1) return;
  throw new UsageError(
    `${path}, line 1: says sep=${shown(delimiter)}, but format.header is 1: expected column names on the header's line; set format.header: 2, or leave it out`,
  );
}

function shown(delimiter: string): string {
  return delimiter === '\t' ? '\\t' : delimiter;
}

/** The first line that is neither blank nor a comment. */
function firstRecord(text: string, from: Place, { comment }: Format): Place {
  let place = from;
  while (place.start < text.length && isPassedOver(text, place.start, comment))
    place = afterLine(text, place);
  return place;
}

function isPassedOver(text: string, start: number, comment: string | undefined): boolean {
  if (comment !== undefined && text.charAt(start) === comment) return true;
  BLANK_LINE.lastIndex = start;
  return BLANK_LINE.test(text);
}

const BLANK_LINE = /[ \u00A0]*(?:[\r\n]|$)/y;

/** The start of the line that `format.header` names; `null` where the head has no such line. */
function lineAt(head: FileHead, { header = 1 }: Format): Place | null {
  let place = TOP;
  while (place.line < header && place.start < head.text.length) place = afterLine(head.text, place);
  return place.line === header && (header === 1 || place.start < head.text.length) ? place : null;
}

function afterLine(text: string, { start, line }: Place): Place {
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
      `${path}: expected ${wanted}, but the file has only ${lines} ${lines === 1 ? 'line' : 'lines'}; correct format.header (preview: --header)`,
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
