/**
 * The way to the list of records that `format.records` points at (RFC 6901). A member on the way
 * that is doubled or missing, or leads to no list, refuses the file.
 */
import { namesOf } from '../../../lib/json-pointer.ts';
import { UsageError } from '../../../lib/usage-error.ts';
import { MAX_DEPTH, nameOf } from './record.ts';
import { literalOf, type Scanner, type Token } from './scanner.ts';

export type Trail = {
  readonly path: string;
  readonly pointer: string;
  readonly lists: readonly string[];
  readonly wanted: readonly string[];
  /** Objects and lists on the way that are open. */
  depth: number;
  /** The place in the innermost of them, if that is a list. */
  index: number;
  /** Names of the pointer that were met: met again, one would lead to two values. */
  met: number;
  /** The way leads to the next value. */
  isNext: boolean;
  /** The last value on the way. */
  end: Kind;
  isFound: boolean;
};

type Kind = 'an object' | 'a list' | 'a plain value';

export function newTrail(path: string, pointer: string, lists: readonly string[]): Trail {
  const start = { depth: 0, index: -1, met: 0, isNext: true, end: 'a plain value', isFound: false } as const;
  return { path, pointer, lists, wanted: namesOf(pointer), ...start };
}

/** Returns whether the token opens the list. */
export function takeOutside(trail: Trail, token: Token, scanner: Scanner): boolean {
  const { closers, line } = scanner;
  if (token === 'name') meetName(trail, nameOf(literalOf(scanner)), scanner);
  else if (token === 'close') trail.depth = Math.min(trail.depth, closers.length);
  else if (token !== 'open') meetValue(trail, 'a plain value', closers, line);
  else return meetValue(trail, closers.at(-1) === ']' ? 'a list' : 'an object', closers.slice(0, -1), line);
  return false;
}

function meetName(trail: Trail, name: string, { closers, line }: Scanner): void {
  const { path, depth, wanted, met } = trail;
  const isOnWay = closers.length === depth;
  trail.isNext = isOnWay && name === wanted[depth - 1];
  if (!trail.isNext) return;
  if (met < depth) {
    trail.met = depth;
    return;
  }
  throw new UsageError(
    `${path}, line ${line}: the member ${placeOf(trail)} is given ` +
      'twice: expected it once, since format.records leads through it',
  );
}

/** Returns whether the value is the list; UsageError where something else is in its place. */
function meetValue(trail: Trail, kind: Kind, around: Scanner['closers'], line: number): boolean {
  const { path, lists, depth, wanted } = trail;
  if (around.length >= MAX_DEPTH && kind !== 'a plain value') {
    throw new UsageError(
      `${path}, line ${line}: nested deeper than ${MAX_DEPTH} levels: expected a flatter file`,
    );
  }
  if (around.length === depth && around.at(-1) === ']') countItem(trail);
  if (!trail.isNext) return false;
  trail.isNext = false;
  trail.end = kind;
  if (depth === wanted.length && kind !== 'a list') {
    throw new UsageError(
      `${path}, line ${line}: ${placeOf(trail)} is ${kind}: expected the list of records there; ${adviceFor(lists)}`,
    );
  }
  trail.isFound = depth === wanted.length;
  if (!trail.isFound && kind !== 'a plain value') trail.depth += 1;
  trail.index = -1;
  return trail.isFound;
}

function countItem(trail: Trail): void {
  const { depth, wanted, met } = trail;
  trail.index += 1;
  trail.isNext = met < depth && String(trail.index) === wanted[depth - 1];
  if (trail.isNext) trail.met = depth;
}

export function endTrail(trail: Trail): void {
  const { path, pointer, lists, wanted, met, end, isFound } = trail;
  if (isFound) return;
  throw new UsageError(
    `${path}: has no list of records at ${pointer}: ${placeOf(trail)} ` +
      `is ${end} without "${wanted[met]}"; ${adviceFor(lists)}`,
  );
}

function placeOf({ wanted, met }: Trail): string {
  return met === 0 ? 'the whole file' : pointerOf(wanted.slice(0, met));
}

export function pointerOf(names: readonly string[]): string {
  return names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** What to do, by the lists that there are. */
export function adviceFor(lists: readonly string[], otherwise = 'correct format.records'): string {
  return lists.length === 0 ? otherwise : `set format.records: ${lists.join(' or ')}`;
}
