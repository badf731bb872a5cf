/**
 * The walk to the list of records that `format.records` points at (RFC 6901), and behind it to the end of the file. All
 * JSON around the list is checked and none of it kept, so a broken, doubled or missing member on the way is refused.
 */
import { namesOf } from '../../lib/json-pointer.ts';
import { shorten } from '../../lib/terminal.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { MAX_RECORD_CHARS } from '../row.ts';
import { brokenJson, type Cursor, endOfValue, endOfWord, moveTo, skipSpace } from './cursor.ts';
import { inspectJson, MAX_DEPTH } from './record.ts';

export type Outside = {
  readonly path: string;
  readonly trail: Trail;
  readonly closers: ('}' | ']')[];
  phase: OutsidePhase;
};

/** What may come next in the innermost object or list, or at the top of the file. */
type OutsidePhase = 'value' | 'firstValue' | 'name' | 'firstName' | 'colon' | 'after' | 'closed';

export function newOutside(path: string, pointer: string): Outside {
  return { path, trail: newTrail(path, pointer), closers: [], phase: 'value' };
}

/** Goes on behind a value: the list of records, or another one. */
export function leaveList(outside: Outside): void {
  outside.phase = 'after';
  if (outside.closers.length === 0) outside.phase = 'closed';
}

/** `list`: the cursor stands after the bracket that opens the list of records; `wait`: more text is needed. */
type OutsideStep = 'on' | 'list' | 'wait';

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
  outside.trail.keys.push(kind === 'list' ? -1 : '');
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
  outside.trail.keys.pop();
  moveTo(cursor, cursor.at + 1);
  leaveList(outside);
  return 'on';
}

function pass(
  outside: Outside,
  cursor: Cursor,
  isRight: boolean,
  { next, expected }: { readonly next: OutsidePhase; readonly expected: string },
): OutsideStep {
  if (!isRight) throw brokenJson(outside.path, cursor, expected);
  moveTo(cursor, cursor.at + 1);
  outside.phase = next;
  return 'on';
}

/** Moves past the string, number or word at the cursor and answers its text; `null` where more text is needed. */
function takeScalar(path: string, cursor: Cursor, final: boolean): string | null {
  const { text, at } = cursor;
  const end = text.charAt(at) === '"' ? endOfValue(text, at) : endOfWord(text, at);
  const isWhole = end !== -1 && (end < text.length || final || text.charAt(at) === '"');
  const length = (isWhole ? end : text.length) - at;
  if (length > MAX_RECORD_CHARS) throw brokenJson(path, cursor, `at most ${MAX_RECORD_CHARS} characters`);
  if (!isWhole && !final) return null;
  const literal = text.slice(at, at + length);
  const found = inspectJson(literal);
  if (found.kind === 'valid' && isWhole) {
    moveTo(cursor, at + length);
    return literal;
  }
  moveTo(cursor, found.kind === 'broken' ? at + found.at : text.length);
  throw brokenJson(path, cursor, found.kind === 'broken' ? found.expected : 'a closing quote');
}

/** Where a walk over JSON is in relation to the pointer (RFC 6901, 4). */
type Trail = {
  readonly path: string;
  readonly pointer: string;
  readonly wanted: readonly string[];
  readonly keys: (string | number)[];
  /** Depths at which a name of the pointer was met: met twice, the pointer would lead to two values. */
  readonly met: Set<number>;
  /** The last value on the pointer's way, with the names of its first members. */
  reached: { readonly depth: number; readonly kind: JsonKind; readonly names: string[] };
  isFound: boolean;
};

type JsonKind = 'object' | 'list' | 'plain value';

function newTrail(path: string, pointer: string): Trail {
  const reached = { depth: 0, kind: 'plain value' as const, names: [] };
  return { path, pointer, wanted: namesOf(pointer), keys: [], met: new Set(), reached, isFound: false };
}

/** Notes the name of the next member; UsageError where the pointer leads through a name that was met before. */
function meetName(trail: Trail, name: string, line: number): void {
  const { keys, met, reached } = trail;
  keys[keys.length - 1] = name;
  const isBelowReached = reached.depth === keys.length - 1 && isOnWay(trail, keys.slice(0, -1));
  if (isBelowReached && reached.names.length <= MAX_NAMES) reached.names.push(name);
  if (keys.length > trail.wanted.length || !isOnWay(trail, keys)) return;
  if (met.has(keys.length)) {
    throw new UsageError(
      `${trail.path}, line ${line}: the member ${placeInWords(keys)} is given twice: expected it once, since format.records leads through it; export the file again`,
    );
  }
  met.add(keys.length);
}

/** Notes that a value begins; answers whether it is the list that the pointer leads to. UsageError where that value is no list. */
function meetValue(trail: Trail, kind: JsonKind, line: number): boolean {
  const { keys, wanted } = trail;
  const item = keys.at(-1);
  if (typeof item === 'number') keys[keys.length - 1] = item + 1;
  if (keys.length > wanted.length || !isOnWay(trail, keys)) return false;
  if (keys.length < wanted.length) {
    trail.reached = { depth: keys.length, kind, names: [] };
    return false;
  }
  if (kind !== 'list') {
    throw new UsageError(
      `${trail.path}, line ${line}: ${placeInWords(keys)} is ${kind === 'object' ? 'an object' : 'a plain value'}: expected the list of records there; correct format.records`,
    );
  }
  trail.isFound = true;
  return true;
}

function endTrail({ path, pointer, wanted, reached, isFound }: Trail): void {
  if (isFound) return;
  const found = reached.kind === 'object' ? `an object with ${inWords(reached.names)}` : `a ${reached.kind}`;
  throw new UsageError(
    `${path}: has no list of records at ${pointer}: ${placeInWords(wanted.slice(0, reached.depth))} is ${found}; correct format.records`,
  );
}

function isOnWay({ wanted }: Trail, keys: readonly (string | number)[]): boolean {
  return keys.every((key, i) => String(key) === wanted[i]);
}

function placeInWords(keys: readonly (string | number)[]): string {
  return keys.length === 0 ? 'the whole file' : pointerOf(keys);
}

export function pointerOf(keys: readonly (string | number)[]): string {
  return keys.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function inWords(names: readonly string[]): string {
  if (names.length === 0) return 'no members';
  const shown = names.slice(0, MAX_NAMES).map((name) => `"${shorten(name, MAX_NAME_CHARS)}"`);
  return `the members ${shown.join(', ')}${names.length > MAX_NAMES ? ' and more' : ''}`;
}

const MAX_NAMES = 10;
const MAX_NAME_CHARS = 40;
