/**
 * Rows of JSON that is no line-by-line file: the elements of one list, of the list that a pointer leads to, or objects
 * that follow each other. Each element is cut out of the text and becomes a row as it stands; broken JSON between or in
 * elements refuses the file with line and column, since what follows can't be told apart any more.
 */
import type { Row } from '../../model/row.ts';
import { MAX_RECORD_CHARS, MAX_UNREADABLE_CHARS, type RowPlace, TOO_LONG, unreadableRow } from '../row.ts';
import type { RowFeed } from '../row-feed.ts';
import {
  brokenJson,
  type Cursor,
  type DepthScan,
  endOfValue,
  endOfWord,
  extend,
  moveTo,
  newCursor,
  newDepthScan,
  skipSpace,
} from './cursor.ts';
import { leaveList, newOutside, type Outside, stepOutside } from './pointer.ts';
import { inspectJson, jsonRow } from './record.ts';

type State = {
  readonly path: string;
  readonly isSequence: boolean;
  /** The walk over the JSON around the list that a pointer leads to; `null` without a pointer. */
  readonly outside: Outside | null;
  readonly cursor: Cursor;
  phase: Phase;
  /** The element that the text at hand ends in; `null` between elements. */
  element: OpenElement | null;
  rows: Row[];
  count: number;
};

type Phase = 'outside' | 'opening' | 'first' | 'value' | 'after' | 'closed';

/** Where the records are: in one JSON list, in objects one after the other, or in the list that a pointer leads to. */
type JsonShape = 'list' | 'sequence' | { readonly pointer: string };

/** Makes rows of a JSON list's elements, or of objects that follow each other; UsageError with line and column where the JSON is broken. */
export function createJsonRows(path: string, shape: JsonShape): RowFeed {
  const state: State = {
    path,
    ...start(path, shape),
    cursor: newCursor(),
    element: null,
    rows: [],
    count: 0,
  };
  return (chunk, final) => {
    if (state.element !== null) state.element.scanned -= state.cursor.at;
    extend(state.cursor, chunk);
    state.rows = [];
    while (advance(state, final));
    return state.rows;
  };
}

function start(path: string, shape: JsonShape): Pick<State, 'isSequence' | 'outside' | 'phase'> {
  if (shape === 'list') return { isSequence: false, outside: null, phase: 'opening' };
  if (shape === 'sequence') return { isSequence: true, outside: null, phase: 'value' };
  return { isSequence: false, outside: newOutside(path, shape.pointer), phase: 'outside' };
}

function advance(state: State, final: boolean): boolean {
  const { cursor, outside } = state;
  if (state.phase === 'outside') return outside !== null && advanceOutside(state, outside, final);
  if (state.element === null) skipSpace(cursor);
  if (state.element === null && cursor.at >= cursor.text.length) {
    if (final) checkEnd(state);
    return false;
  }
  const char = cursor.text.charAt(cursor.at);
  switch (state.phase) {
    case 'opening':
      return take(state, char === '[', 'first', '[');
    case 'first':
      return char === ']' ? close(state) : takeValue(state, final);
    case 'value':
      return takeValue(state, final);
    case 'after':
      return char === ']' ? close(state) : take(state, char === ',', 'value', 'a comma or ]');
    case 'closed':
      return take(state, false, 'closed', 'nothing after the closing ]');
    default:
      return state.phase satisfies never;
  }
}

function advanceOutside(state: State, outside: Outside, final: boolean): boolean {
  const step = stepOutside(outside, state.cursor, final);
  if (step === 'list') state.phase = 'first';
  return step !== 'wait';
}

function close(state: State): boolean {
  if (state.outside === null) return take(state, true, 'closed', '');
  leaveList(state.outside);
  return take(state, true, 'outside', '');
}

function take(state: State, isRight: boolean, next: Phase, expected: string): boolean {
  if (!isRight) throw brokenJson(state.path, state.cursor, expected);
  moveTo(state.cursor, state.cursor.at + 1);
  state.phase = next;
  return true;
}

function checkEnd(state: State): void {
  const { phase } = state;
  if (phase === 'closed' || phase === 'outside' || (phase === 'value' && state.isSequence)) return;
  const expected = { opening: '[', first: 'a value or ]', value: 'a value', after: 'a comma or ]' }[phase];
  throw brokenJson(state.path, state.cursor, expected);
}

function takeValue(state: State, final: boolean): boolean {
  const { path, cursor } = state;
  state.element ??= newElement(cursor);
  const end = findElementEnd(path, cursor, state.element, final);
  if (end === -1 && !final) return false;
  if (end === -1) throw unclosedElement(path, cursor, state.element);
  state.count += 1;
  state.rows.push(elementRow(path, cursor, state.element, { end, row: state.count }));
  moveTo(cursor, end);
  state.element = null;
  state.phase = state.isSequence ? 'value' : 'after';
  return true;
}

type OpenElement = {
  readonly scan: DepthScan;
  scanned: number;
  /** The element is longer than a record may be: its beginning, while the rest is passed over. */
  oversized: { readonly text: string; readonly line: number } | null;
};

function newElement(cursor: Cursor): OpenElement {
  return { scan: newDepthScan(), scanned: cursor.at, oversized: null };
}

/** Index after the element at the cursor, -1 where more text is needed; the text of an oversized element is dropped. */
function findElementEnd(path: string, cursor: Cursor, element: OpenElement, final: boolean): number {
  const { text, at } = cursor;
  if (element.oversized === null && !/["{[]/.test(text.charAt(at))) {
    const end = endOfWord(text, at);
    return end < text.length || final ? end : -1;
  }
  const end = endOfValue(text, element.scanned, element.scan);
  if (end !== -1) return end;
  element.scanned = text.length;
  if (element.oversized === null && text.length - at > MAX_RECORD_CHARS) {
    refuseBroken(path, cursor);
    element.oversized = { text: text.slice(at, at + MAX_UNREADABLE_CHARS), line: cursor.line };
  }
  if (element.oversized !== null) moveTo(cursor, text.length);
  return -1;
}

function elementRow(
  path: string,
  cursor: Cursor,
  element: OpenElement,
  at: { end: number; row: number },
): Row {
  const { oversized } = element;
  if (oversized !== null)
    return unreadableRow({ row: at.row, line: oversized.line }, oversized.text, TOO_LONG);
  const text = cursor.text.slice(cursor.at, at.end);
  const place: RowPlace = { row: at.row, line: cursor.line };
  if (text.length > MAX_RECORD_CHARS) {
    refuseBroken(path, cursor);
    return unreadableRow(place, text, TOO_LONG);
  }
  const found = inspectJson(text);
  if (found.kind === 'valid') return jsonRow(place, text, found);
  moveTo(cursor, cursor.at + found.at);
  throw brokenJson(path, cursor, found.expected);
}

function unclosedElement(path: string, cursor: Cursor, element: OpenElement): Error {
  if (element.oversized !== null)
    return brokenJson(path, cursor, `the end of the record of line ${element.oversized.line}`);
  const found = inspectJson(cursor.text.slice(cursor.at));
  moveTo(cursor, found.kind === 'broken' ? cursor.at + found.at : cursor.text.length);
  return brokenJson(path, cursor, found.kind === 'broken' ? found.expected : 'the end of the record');
}

/** Refuses a record beyond the limit where its beginning is broken JSON, but for the last token, which the limit cut. */
function refuseBroken(path: string, cursor: Cursor): void {
  const found = inspectJson(cursor.text.slice(cursor.at, cursor.at + MAX_RECORD_CHARS));
  if (found.kind === 'valid' || found.at >= MAX_RECORD_CHARS - LONGEST_TOKEN_CHARS) return;
  moveTo(cursor, cursor.at + found.at);
  throw brokenJson(path, cursor, found.expected);
}

/** A token cut off by the length limit looks broken this close to the cut. */
const LONGEST_TOKEN_CHARS = 16;
