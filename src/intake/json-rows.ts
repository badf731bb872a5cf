import type { Row } from '../model/row.ts';
import type { Cursor } from './json-cursor.ts';
import { brokenJson, extend, moveTo, newCursor, skipSpace } from './json-cursor.ts';
import type { OpenElement } from './json-element.ts';
import { elementRow, findElementEnd, newElement, unclosedElement } from './json-element.ts';
import type { RowFeed } from './row-feed.ts';

/** What may come next. */
type Phase = 'opening' | 'first' | 'value' | 'after' | 'closed';

type State = {
  readonly path: string;
  /** `list`: one JSON list; `sequence`: objects one after the other. */
  readonly shape: 'list' | 'sequence';
  readonly cursor: Cursor;
  phase: Phase;
  /** The element that the text at hand ends in. */
  element: OpenElement | null;
  rows: Row[];
  count: number;
};

/** Makes rows of a JSON list's elements, or of objects that follow each other; UsageError with line and column where the JSON is broken. */
export function createJsonRows(path: string, shape: 'list' | 'sequence'): RowFeed {
  const phase = shape === 'list' ? 'opening' : 'value';
  const state: State = { path, shape, cursor: newCursor(), phase, element: null, rows: [], count: 0 };
  return (chunk, final) => {
    if (state.element !== null) state.element.scanned -= state.cursor.at;
    extend(state.cursor, chunk);
    state.rows = [];
    while (advance(state, final));
    return state.rows;
  };
}

/** One step; answers whether another can be made with the text at hand. */
function advance(state: State, final: boolean): boolean {
  const { cursor } = state;
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
      return char === ']' ? take(state, true, 'closed', '') : takeValue(state, final);
    case 'value':
      return takeValue(state, final);
    case 'after':
      return char === ','
        ? take(state, true, 'value', '')
        : take(state, char === ']', 'closed', 'a comma or ]');
    case 'closed':
      return take(state, false, 'closed', 'nothing after the closing ]');
    default:
      return state.phase satisfies never;
  }
}

function take(state: State, isRight: boolean, next: Phase, expected: string): boolean {
  if (!isRight) throw brokenJson(state.path, state.cursor, expected);
  moveTo(state.cursor, state.cursor.at + 1);
  state.phase = next;
  return true;
}

function checkEnd(state: State): void {
  if (state.phase === 'closed' || (state.phase === 'value' && state.shape === 'sequence')) return;
  const expected = { opening: '[', first: 'a value or ]', value: 'a value', after: 'a comma or ]' }[
    state.phase
  ];
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
  state.phase = state.shape === 'list' ? 'after' : 'value';
  return true;
}
