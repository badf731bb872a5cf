import { namesOf } from '../lib/json-pointer.ts';
import { shorten } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';

/** What a JSON value is, as far as a pointer cares. */
export type JsonKind = 'object' | 'list' | 'plain value';

/** Where a walk over JSON stands, seen from a pointer (RFC 6901, 4) to the list of records. */
export type Trail = {
  readonly path: string;
  readonly pointer: string;
  readonly wanted: readonly string[];
  /** The member or item of each open object and list that the walk is at. */
  readonly keys: (string | number)[];
  /** How many names of the pointer were met: a second time makes it point to two values. */
  readonly met: Set<number>;
  /** The last value on the pointer's way, with the names of its first members. */
  reached: { readonly depth: number; readonly kind: JsonKind; readonly names: string[] };
  isFound: boolean;
};

const MAX_NAMES = 10;
const MAX_NAME_CHARS = 40;

/** Before the first value of a file. */
export function newTrail(path: string, pointer: string): Trail {
  const reached = { depth: 0, kind: 'plain value', names: [] } as const;
  const wanted = namesOf(pointer);
  return {
    path,
    pointer,
    wanted,
    keys: [],
    met: new Set(),
    reached: { ...reached, names: [] },
    isFound: false,
  };
}

/** An object or a list begins, and the walk goes into it. */
export function enter(trail: Trail, kind: Exclude<JsonKind, 'plain value'>): void {
  trail.keys.push(kind === 'list' ? -1 : '');
}

/** The innermost object or list ends. */
export function leave(trail: Trail): void {
  trail.keys.pop();
}

/** The next value is the member of that name; UsageError where the pointer leads through it and has met it before. */
export function meetName(trail: Trail, name: string, line: number): void {
  const { keys, met, reached } = trail;
  keys[keys.length - 1] = name;
  const isBelowReached = reached.depth === keys.length - 1 && isOnWay(trail, keys.slice(0, -1));
  if (isBelowReached && reached.names.length <= MAX_NAMES) reached.names.push(name);
  if (keys.length > trail.wanted.length || !isOnWay(trail, keys)) return;
  if (met.has(keys.length)) {
    throw new UsageError(
      `${trail.path}, line ${line}: the member ${inPointer(keys)} is given twice: expected it once, since format.records leads through it; export the file again`,
    );
  }
  met.add(keys.length);
}

/** A value begins; answers whether it is the list that the pointer leads to. UsageError where that is no list. */
export function meetValue(trail: Trail, kind: JsonKind, line: number): boolean {
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
      `${trail.path}, line ${line}: ${inPointer(keys)} is ${kind === 'object' ? 'an object' : 'a plain value'}: expected the list of records there; correct format.records`,
    );
  }
  trail.isFound = true;
  return true;
}

/** The file is over; UsageError where the pointer led nowhere. */
export function endTrail({ path, pointer, wanted, reached, isFound }: Trail): void {
  if (isFound) return;
  const found = reached.kind === 'object' ? `an object with ${inWords(reached.names)}` : `a ${reached.kind}`;
  throw new UsageError(
    `${path}: has no list of records at ${pointer}: ${inPointer(wanted.slice(0, reached.depth))} is ${found}; correct format.records`,
  );
}

function isOnWay({ wanted }: Trail, keys: readonly (string | number)[]): boolean {
  return keys.every((key, i) => String(key) === wanted[i]);
}

function inPointer(keys: readonly (string | number)[]): string {
  if (keys.length === 0) return 'the whole file';
  return keys.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function inWords(names: readonly string[]): string {
  if (names.length === 0) return 'no members';
  const shown = names.slice(0, MAX_NAMES).map((name) => `"${shorten(name, MAX_NAME_CHARS)}"`);
  return `the members ${shown.join(', ')}${names.length > MAX_NAMES ? ' and more' : ''}`;
}
