import type { Row } from '../model/row.ts';
import type { Cursor } from './json-cursor.ts';
import { brokenJson, moveTo } from './json-cursor.ts';
import type { DepthScan } from './json-depth.ts';
import { endOfValue, newDepthScan } from './json-depth.ts';
import { inspectJson } from './json-inspect.ts';
import { jsonRow } from './json-row.ts';
import { MAX_RECORD_CHARS, MAX_UNREADABLE_CHARS } from './limits.ts';
import type { Place } from './unreadable-row.ts';
import { TOO_LONG, unreadableRow } from './unreadable-row.ts';

/** The element at the cursor, as far as it is known. */
export type OpenElement = {
  readonly scan: DepthScan;
  /** How far the text at hand has been scanned. */
  scanned: number;
  /** The element is longer than a record may be: its beginning, while the rest is passed over. */
  oversized: { readonly text: string; readonly line: number } | null;
};

/** A token cut off by the length limit looks broken this close to the cut. */
const LONGEST_TOKEN_CHARS = 16;

/** Before the first character of an element. */
export function newElement(cursor: Cursor): OpenElement {
  return { scan: newDepthScan(), scanned: cursor.at, oversized: null };
}

/** Index after the element at the cursor, -1 where more text is needed; text of an oversized element is let go of. */
export function findElementEnd(path: string, cursor: Cursor, element: OpenElement, final: boolean): number {
  const { text, at } = cursor;
  if (element.oversized === null && !/["{[]/.test(text.charAt(at))) return endOfBareValue(text, at, final);
  const end = endOfValue(element.scan, text, element.scanned);
  if (end !== -1) return end;
  element.scanned = text.length;
  if (element.oversized === null && text.length - at > MAX_RECORD_CHARS) {
    refuseBroken(path, cursor);
    element.oversized = { text: text.slice(at, at + MAX_UNREADABLE_CHARS), line: cursor.line };
  }
  if (element.oversized !== null) moveTo(cursor, text.length);
  return -1;
}

/** The row that the element from the cursor to `end` makes; UsageError where it is no JSON. */
export function elementRow(
  path: string,
  cursor: Cursor,
  element: OpenElement,
  at: { end: number; row: number },
): Row {
  const { oversized } = element;
  if (oversized !== null)
    return unreadableRow({ row: at.row, line: oversized.line }, oversized.text, TOO_LONG);
  const text = cursor.text.slice(cursor.at, at.end);
  const place: Place = { row: at.row, line: cursor.line };
  if (text.length > MAX_RECORD_CHARS) {
    refuseBroken(path, cursor);
    return unreadableRow(place, text, TOO_LONG);
  }
  const found = inspectJson(text);
  if (found.kind === 'valid') return jsonRow(place, text, found);
  moveTo(cursor, cursor.at + found.at);
  throw brokenJson(path, cursor, found.expected);
}

/** The error for an element that the file ends in. */
export function unclosedElement(path: string, cursor: Cursor, element: OpenElement): Error {
  if (element.oversized !== null)
    return brokenJson(path, cursor, `the end of the record of line ${element.oversized.line}`);
  const found = inspectJson(cursor.text.slice(cursor.at));
  moveTo(cursor, found.kind === 'broken' ? cursor.at + found.at : cursor.text.length);
  return brokenJson(path, cursor, found.kind === 'broken' ? found.expected : 'the end of the record');
}

/** Whatever cut off by the limit can't be judged at its very end, but before it a fault is told where it is. */
function refuseBroken(path: string, cursor: Cursor): void {
  const found = inspectJson(cursor.text.slice(cursor.at, cursor.at + MAX_RECORD_CHARS));
  if (found.kind === 'valid' || found.at >= MAX_RECORD_CHARS - LONGEST_TOKEN_CHARS) return;
  moveTo(cursor, cursor.at + found.at);
  throw brokenJson(path, cursor, found.expected);
}

function endOfBareValue(text: string, from: number, final: boolean): number {
  BARE_END.lastIndex = from;
  const end = BARE_END.exec(text)?.index ?? -1;
  if (end === -1) return final ? text.length : -1;
  // A closing bracket where a value belongs is a value of its own, and a wrong one.
  return Math.max(end, from + 1);
}

const BARE_END = /[,\]}\s]/g;
