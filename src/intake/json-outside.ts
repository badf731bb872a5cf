import { UsageError } from '../lib/usage-error.ts';
import type { Cursor } from './json-cursor.ts';
import { brokenJson, moveTo, skipSpace } from './json-cursor.ts';
import { takeScalar } from './json-scalar.ts';
import type { Trail } from './json-trail.ts';
import { endTrail, enter, leave, meetName, meetValue, newTrail } from './json-trail.ts';
import { MAX_DEPTH } from './limits.ts';

/** What may come next in the innermost object or list, or at the top of the file. */
type Phase = 'value' | 'firstValue' | 'name' | 'firstName' | 'colon' | 'after' | 'closed';

/** A walk over the JSON around a list of records: it is checked, not kept. */
export type Outside = {
  readonly path: string;
  readonly trail: Trail;
  /** The closing bracket of each object and list that the walk is in. */
  readonly closers: ('}' | ']')[];
  phase: Phase;
};

/** `list`: the cursor stands after the bracket that opens the list of records; `wait`: more text is needed. */
export type OutsideStep = 'on' | 'list' | 'wait';

/** At the start of a file whose records are the list that the pointer (RFC 6901) leads to. */
export function newOutside(path: string, pointer: string): Outside {
  return { path, trail: newTrail(path, pointer), closers: [], phase: 'value' };
}

/** The list of records is closed: the walk goes on behind it. */
export function leaveList(outside: Outside): void {
  outside.phase = 'after';
  if (outside.closers.length === 0) outside.phase = 'closed';
}

/** One step; UsageError where the JSON is broken, or the pointer leads to something else than a list. */
export function stepOutside(outside: Outside, cursor: Cursor, final: boolean): OutsideStep {
  skipSpace(cursor);
  if (cursor.at >= cursor.text.length) {
    if (final) checkEnd(outside, cursor);
    return 'wait';
  }
  const char = cursor.text.charAt(cursor.at);
  switch (outside.phase) {
    case 'firstValue':
    case 'firstName':
      return char === outside.closers.at(-1) ? close(outside, cursor) : stepInto(outside, cursor, final);
    case 'value':
    case 'name':
      return stepInto(outside, cursor, final);
    case 'colon':
      return pass(outside, cursor, char === ':', { next: 'value', expected: 'a colon' });
    case 'after':
      return stepAfter(outside, cursor, char);
    case 'closed':
      throw brokenJson(outside.path, cursor, 'nothing more');
    default:
      return outside.phase satisfies never;
  }
}

function checkEnd({ path, phase, closers, trail }: Outside, cursor: Cursor): void {
  if (phase !== 'closed') throw brokenJson(path, cursor, closers.at(-1) ?? 'a value');
  endTrail(trail);
}

function stepInto(outside: Outside, cursor: Cursor, final: boolean): OutsideStep {
  const isName = outside.phase === 'name' || outside.phase === 'firstName';
  return isName ? takeName(outside, cursor, final) : takeValue(outside, cursor, final);
}

function takeName(outside: Outside, cursor: Cursor, final: boolean): OutsideStep {
  if (cursor.text.charAt(cursor.at) !== '"') {
    throw brokenJson(outside.path, cursor, 'a member name in double quotes');
  }
  const literal = takeScalar(outside.path, cursor, final);
  if (literal === null) return 'wait';
  meetName(outside.trail, String(JSON.parse(literal)), cursor.line);
  outside.phase = 'colon';
  return 'on';
}

function takeValue(outside: Outside, cursor: Cursor, final: boolean): OutsideStep {
  const char = cursor.text.charAt(cursor.at);
  if (char === '{' || char === '[') return open(outside, cursor, char);
  if (takeScalar(outside.path, cursor, final) === null) return 'wait';
  meetValue(outside.trail, 'plain value', cursor.line);
  leaveList(outside);
  return 'on';
}

function open(outside: Outside, cursor: Cursor, char: '{' | '['): OutsideStep {
  const kind = char === '[' ? 'list' : 'object';
  const isTarget = meetValue(outside.trail, kind, cursor.line);
  moveTo(cursor, cursor.at + 1);
  if (isTarget) return 'list';
  if (outside.closers.length >= MAX_DEPTH) {
    throw new UsageError(
      `${outside.path}, line ${cursor.line}: nested deeper than ${MAX_DEPTH} levels: expected a flatter file`,
    );
  }
  enter(outside.trail, kind);
  outside.closers.push(char === '[' ? ']' : '}');
  outside.phase = char === '[' ? 'firstValue' : 'firstName';
  return 'on';
}

function stepAfter(outside: Outside, cursor: Cursor, char: string): OutsideStep {
  const closer = outside.closers.at(-1);
  if (char === closer) return close(outside, cursor);
  const next = closer === '}' ? 'name' : 'value';
  return pass(outside, cursor, char === ',', { next, expected: `a comma or ${closer}` });
}

function close(outside: Outside, cursor: Cursor): OutsideStep {
  outside.closers.pop();
  leave(outside.trail);
  moveTo(cursor, cursor.at + 1);
  leaveList(outside);
  return 'on';
}

function pass(
  outside: Outside,
  cursor: Cursor,
  isRight: boolean,
  { next, expected }: { readonly next: Phase; readonly expected: string },
): OutsideStep {
  if (!isRight) throw brokenJson(outside.path, cursor, expected);
  moveTo(cursor, cursor.at + 1);
  outside.phase = next;
  return 'on';
}
