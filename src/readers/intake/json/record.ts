/**
 * One JSON record. What `JSON.parse` would silently change or lose makes it an unreadable row:
 * members given twice, numbers that a double rounds, names that reach a prototype, half characters.
 * A readable row keeps its text as it stands.
 */
import { isExactNumber } from '../../../lib/exact-number.ts';
import { visitLeaves } from '../../../model/json-record.ts';
import type { JsonObject } from '../../../model/request.ts';
import type { Row } from '../../../model/row.ts';
import { isForbiddenName } from '../column-names.ts';
import { BAD_BYTES } from '../decode.ts';
import { unreadRecord } from '../report-file.ts';
import { controlProblem, NO_TEXT, type RowPlace, recordObject, unreadableRow } from '../row.ts';
import { literalOf, nextToken, type Scanner, scannerOf, type Token } from './scanner.ts';

export type RecordCheck = {
  /** The first thing that would change or be lost in silence, or may not be sent. */
  problem: string | null;
  /** A member's name has a dot: two members may spell one field. */
  hasDottedName: boolean;
  /** Names met in each open object; `null`: a list. */
  readonly open: (Set<string> | null)[];
};

export function newRecordCheck(): RecordCheck {
  return { problem: null, hasDottedName: false, open: [] };
}

export function checkToken(check: RecordCheck, token: Token, scanner: Scanner): void {
  if (check.problem !== null) return;
  if (token === 'open') checkDepth(check, scanner.next === 'name');
  else if (token === 'close') check.open.pop();
  else if (token === 'number') checkNumber(check, literalOf(scanner));
  else if (token === 'string' && scanner.hasEscape) checkCharacters(check, literalOf(scanner));
  else if (token === 'name') checkName(check, literalOf(scanner));
}

function checkDepth(check: RecordCheck, isObject: boolean): void {
  if (check.open.length < MAX_DEPTH) check.open.push(isObject ? new Set() : null);
  else check.problem = `nested deeper than ${MAX_DEPTH} levels: expected a flatter record`;
}

export const MAX_DEPTH = 32;

function checkNumber(check: RecordCheck, literal: string): void {
  if (!isExactNumber(literal)) check.problem = ROUNDED;
}

/** Control characters below U+0020 and half a character: only an escape can spell them in JSON. */
function checkCharacters(check: RecordCheck, literal: string): void {
  if (!/\\[bfu]/.test(literal)) return;
  const text = String(JSON.parse(literal));
  check.problem ??= text.isWellFormed() ? controlProblem(text) : HALF;
}

function checkName(check: RecordCheck, literal: string): void {
  checkCharacters(check, literal);
  const name = nameOf(literal);
  const names = check.open.at(-1);
  if (names?.has(name)) check.problem ??= `the member "${shownName(name)}" is given twice: expected it once`;
  if (isForbiddenName(name))
    check.problem ??= `the member "${shownName(name)}" is refused: expected another name`;
  names?.add(name);
  check.hasDottedName ||= name.includes('.');
}

/** `JSON.parse` takes several times as long. */
export function nameOf(literal: string): string {
  return literal.includes('\\') ? String(JSON.parse(literal)) : literal.slice(1, -1);
}

function shownName(name: string): string {
  return name.length > 60 ? `${name.slice(0, 60)}…` : name;
}

const ROUNDED = 'a number with more digits than a JSON number keeps: expected it in quotes, as a string';
const HALF = 'half a character (\\ud800 to \\udfff without its other half): expected whole characters';

/** For a valid JSON text whose tokens were all checked. */
export function jsonRow(place: RowPlace, text: string, check: RecordCheck): Row {
  const problem = problemOf(text, check);
  if (problem !== null) return unreadableRow(place, text, problem);
  return unreadRecord(place, text) ?? { kind: 'record', ...place, text };
}

function problemOf(text: string, check: RecordCheck): string | null {
  if (text.includes(BAD_BYTES)) return NO_TEXT;
  if (!text.startsWith('{')) return `${whatIs(text)} and no record: expected an object in { }`;
  const problem = check.problem ?? controlProblem(text);
  if (problem !== null) return problem;
  const path = check.hasDottedName ? repeatedPath(recordObject(text)) : null;
  return path === null
    ? null
    : `the field "${path}" is given twice, once by a name with dots: expected it once`;
}

function whatIs(text: string): string {
  switch (text.charAt(0)) {
    case '[':
      return 'a list';
    case '"':
      return 'a text';
    case 't':
    case 'f':
    case 'n':
      return text;
    default:
      return 'a number';
  }
}

function repeatedPath(record: JsonObject): string | null {
  const paths = new Set<string>();
  let repeated: string | null = null;
  visitLeaves(record, (path) => {
    if (paths.has(path)) repeated ??= path;
    paths.add(path);
  });
  return repeated;
}

type Inspection =
  /** `text`: without white space around the value. */
  | { readonly kind: 'valid'; readonly text: string; readonly check: RecordCheck }
  /** `at`: the first character that can't stand there, or the end of a text cut short. */
  | { readonly kind: 'broken'; readonly at: number; readonly expected: string };

/** Valid exactly where `JSON.parse` accepts the text. */
export function inspectJson(text: string): Inspection {
  const scanner = scannerOf(text);
  const check = newRecordCheck();
  let start: number | null = null;
  let end = 0;
  for (;;) {
    const token = nextToken(scanner);
    if (token === 'end') return { kind: 'valid', text: text.slice(start ?? 0, end), check };
    if (token === 'broken') return { kind: 'broken', at: scanner.at, expected: scanner.expected };
    start ??= scanner.start;
    end = scanner.at;
    checkToken(check, token, scanner);
  }
}
