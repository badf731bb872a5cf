/**
 * The way to the list of records that `format.records` points at (RFC 6901). What stands around the
 * list is checked, but not kept: a member on the way that is doubled or missing, or leads to no
 * list, refuses the file.
 */
import { namesOf } from '../../lib/json-pointer.ts';
import { shorten } from '../../lib/terminal.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { MAX_DEPTH } from './record.ts';
import { literalOf, type Scanner, type Token } from './scanner.ts';

/** How far the tokens around the list have come on the pointer's way. */
export type Trail = {
  readonly path: string;
  readonly pointer: string;
  readonly wanted: readonly string[];
  readonly keys: (string | number)[];
  /** Depths at which a name of the pointer was met: twice, it would lead to two values. */
  readonly met: Set<number>;
  /** The last value on the way, with the names of its first members. */
  reached: { readonly depth: number; readonly kind: JsonKind; readonly names: string[] };
  isFound: boolean;
};

type JsonKind = 'object' | 'list' | 'plain value';

export function newTrail(path: string, pointer: string): Trail {
  const reached = { depth: 0, kind: 'plain value' as const, names: [] };
  return { path, pointer, wanted: namesOf(pointer), keys: [], met: new Set(), reached, isFound: false };
}

/** Returns whether the token opens the list. */
export function takeOutside(trail: Trail, token: Token, scanner: Scanner): boolean {
  if (token === 'open') return openValue(trail, scanner);
  if (token === 'name') meetName(trail, String(JSON.parse(literalOf(scanner))), scanner.line);
  else if (token === 'close') trail.keys.pop();
  else meetValue(trail, 'plain value', scanner.line);
  return false;
}

function openValue(trail: Trail, { closers, line }: Scanner): boolean {
  const isList = closers.at(-1) === ']';
  if (meetValue(trail, isList ? 'list' : 'object', line)) return true;
  if (closers.length > MAX_DEPTH) {
    throw new UsageError(
      `${trail.path}, line ${line}: nested deeper than ${MAX_DEPTH} levels: expected a flatter file`,
    );
  }
  trail.keys.push(isList ? -1 : '');
  return false;
}

/** UsageError for a name on the way that was met before. */
function meetName(trail: Trail, name: string, line: number): void {
  const { keys, met, reached } = trail;
  keys[keys.length - 1] = name;
  const isBelowReached = reached.depth === keys.length - 1 && isOnWay(trail, keys.slice(0, -1));
  if (isBelowReached && reached.names.length <= MAX_NAMES) reached.names.push(name);
  if (keys.length > trail.wanted.length || !isOnWay(trail, keys)) return;
  if (met.has(keys.length)) {
    throw new UsageError(
      `${trail.path}, line ${line}: the member ${placeInWords(keys)} is given twice: expected it once, since format.records leads through it`,
    );
  }
  met.add(keys.length);
}

/** Returns whether the value is the list; UsageError where something else is in its place. */
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

/** UsageError where the text has ended without the list. */
export function endTrail({ path, pointer, wanted, reached, isFound }: Trail): void {
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
