import type { Row } from '../model/row.ts';
import type { Cursor } from './json-cursor.ts';
import { brokenJson, extend, moveTo, newCursor, skipSpace } from './json-cursor.ts';
import type { OpenElement } from './json-element.ts';
import { elementRow, findElementEnd, newElement, unclosedElement } from './json-element.ts';
import type { Outside } from './json-outside.ts';
import { leaveList, newOutside, stepOutside } from './json-outside.ts';
import type { RowFeed } from './row-feed.ts';

/** What may come next. */
type Phase = 'outside' | 'opening' | 'first' | 'value' | 'after' | 'closed';

/** `list`: one JSON list; `sequence`: objects one after the other; a pointer: the list that it leads to. */
export type JsonShape = 'list' | 'sequence' | { readonly pointer: string };

type State = {
  readonly path: string;
  readonly isSequence: boolean;
  /** What stands around the list that a pointer leads to. */
  readonly outside: Outside | null;
  readonly cursor: Cursor;
  phase: Phase;
  /** The element that the text at hand ends in. */
  element: OpenElement | null;
  rows: Row[];
  count: number;
};

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

/** One step; answers whether another can be made with the text at hand. */
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
