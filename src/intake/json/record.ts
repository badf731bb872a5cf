/**
 * One JSON record: valid or broken, and if valid, whether `JSON.parse` would silently change or lose anything of it. Members
 * given twice, numbers that a double would round, names that would reach a prototype and half characters make an unreadable
 * row. A readable row keeps its text as it stands.
 */
import { isExactNumber } from '../../lib/exact-number.ts';
import { visitLeaves } from '../../model/flatten-record.ts';
import type { JsonObject } from '../../model/request.ts';
import type { Row } from '../../model/row.ts';
import { isForbiddenName } from '../column-names.ts';
import { BAD_BYTES } from '../decode.ts';
import { unreadRecord } from '../report-file.ts';
import { NOT_UTF8, type RowPlace, recordObject, unreadableRow } from '../row.ts';

/** The row that one valid JSON text makes: its text as it stands, or why it can't be read without a guess. */
export function jsonRow(place: RowPlace, text: string, found: Extract<Inspection, { kind: 'valid' }>): Row {
  const problem = problemOf(text, found);
  if (problem !== null) return unreadableRow(place, text, problem);
  return unreadRecord(place, text) ?? { kind: 'record', ...place, text };
}

function problemOf(text: string, found: Extract<Inspection, { kind: 'valid' }>): string | null {
  if (text.includes(BAD_BYTES)) return NOT_UTF8;
  if (!found.isObject) return `${whatIs(text)} and no record: expected an object in { }`;
  if (found.problem !== null) return found.problem;
  const path = found.hasDottedName ? repeatedPath(recordObject(text)) : null;
  return path === null
    ? null
    : `the field "${path}" is given twice, once by a name with dots: expected it once`;
}

function whatIs(text: string): string {
  switch (text.trimStart().charAt(0)) {
    case '[':
      return 'a list';
    case '"':
      return 'a text';
    case 't':
    case 'f':
    case 'n':
      return text.trim();
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
  | {
      readonly kind: 'valid';
      readonly isObject: boolean;
      /** What `JSON.parse` would silently change or lose, or what may not be sent; `null` where there is no such thing. */
      readonly problem: string | null;
      /** Whether a member's name contains a dot, so that two members may spell the same field path. */
      readonly hasDottedName: boolean;
    }
  /** `at`: index of the first character that can't stand there; the text's length where it ends too early. */
  | { readonly kind: 'broken'; readonly at: number; readonly expected: string };

type Scan = TokenScan & {
  problem: string | null;
  isTooDeep: boolean;
  hasDottedName: boolean;
};

/**
 * Inspects one JSON text (RFC 8259): valid exactly where `JSON.parse` accepts it. Beyond that it finds members given twice,
 * numbers that a double would round, names that would reach a prototype, and nesting that is too deep.
 */
export function inspectJson(text: string): Inspection {
  const scan: Scan = { text, at: 0, expected: '', problem: null, isTooDeep: false, hasDottedName: false };
  skipBlanks(scan);
  const isObject = text.charCodeAt(scan.at) === BRACE;
  const isWhole = scanValue(scan, 1);
  if (isWhole && !scan.isTooDeep) {
    skipBlanks(scan);
    if (scan.at < text.length) return { kind: 'broken', at: scan.at, expected: 'nothing more' };
  }
  if (!isWhole && !scan.isTooDeep) return { kind: 'broken', at: scan.at, expected: scan.expected };
  return { kind: 'valid', isObject, problem: scan.problem, hasDottedName: scan.hasDottedName };
}

function scanValue(scan: Scan, depth: number): boolean {
  skipBlanks(scan);
  const code = scan.text.charCodeAt(scan.at);
  if (code === QUOTE) return scanText(scan);
  if (code === BRACE || code === BRACKET) return scanNested(scan, depth, code);
  if (code === MINUS || (code >= ZERO && code <= NINE)) return scanExactNumber(scan);
  return scanWord(scan);
}

function scanText(scan: Scan): boolean {
  const start = scan.at;
  if (!scanString(scan)) return false;
  noteCharacters(scan, start);
  return true;
}

/** Notes a NUL or half a character, which only an escape can spell: no decoded text holds them. */
function noteCharacters(scan: Scan, start: number): void {
  const literal = scan.text.slice(start, scan.at);
  if (!literal.includes('\\u')) return;
  const text = String(JSON.parse(literal));
  if (text.includes('\0')) scan.problem ??= NUL;
  if (/\p{Cs}/u.test(text)) scan.problem ??= HALF;
}

function scanExactNumber(scan: Scan): boolean {
  const start = scan.at;
  if (!scanNumber(scan)) return false;
  if (!isExactNumber(scan.text.slice(start, scan.at))) scan.problem ??= ROUNDED;
  return true;
}

/** Ends the scan at the depth limit, so that no text can exhaust the stack. */
function scanNested(scan: Scan, depth: number, code: number): boolean {
  if (depth > MAX_DEPTH) {
    scan.problem ??= `nested deeper than ${MAX_DEPTH} levels: expected a flatter record`;
    scan.isTooDeep = true;
    return false;
  }
  return code === BRACE ? scanObject(scan, depth) : scanArray(scan, depth);
}

/** The deepest nesting of a JSON record; the service's deepest field is at five. */
export const MAX_DEPTH = 32;

function scanObject(scan: Scan, depth: number): boolean {
  const names = new Set<string>();
  scan.at += 1;
  if (takeAfterSpace(scan, BRACE_END)) return true;
  for (;;) {
    skipBlanks(scan);
    const start = scan.at;
    if (scan.text.charCodeAt(start) !== QUOTE) return fail(scan, 'a member name in double quotes');
    if (!scanString(scan)) return false;
    noteCharacters(scan, start);
    noteName(scan, names, scan.text.slice(start, scan.at));
    if (!takeAfterSpace(scan, COLON)) return fail(scan, 'a colon');
    if (!scanValue(scan, depth + 1)) return false;
    if (takeAfterSpace(scan, BRACE_END)) return true;
    if (!takeAfterSpace(scan, COMMA)) return fail(scan, 'a comma or }');
  }
}

function noteName(scan: Scan, names: Set<string>, literal: string): void {
  const name = literal.includes('\\') ? String(JSON.parse(literal)) : literal.slice(1, -1);
  if (names.has(name)) scan.problem ??= `the member "${shownName(name)}" is given twice: expected it once`;
  names.add(name);
  if (isForbiddenName(name))
    scan.problem ??= `the member "${shownName(name)}" is refused: expected another name`;
  if (name.includes('.')) scan.hasDottedName = true;
}

function shownName(name: string): string {
  return name.length > 60 ? `${name.slice(0, 60)}…` : name;
}

function scanArray(scan: Scan, depth: number): boolean {
  scan.at += 1;
  if (takeAfterSpace(scan, BRACKET_END)) return true;
  for (;;) {
    if (!scanValue(scan, depth + 1)) return false;
    if (takeAfterSpace(scan, BRACKET_END)) return true;
    if (!takeAfterSpace(scan, COMMA)) return fail(scan, 'a comma or ]');
  }
}

const ROUNDED = 'a number with more digits than a JSON number keeps: expected it in quotes, as a string';
const NUL = 'a NUL character (\\u0000): expected text without it';
const HALF = 'half a character (\\ud800 to \\udfff without its other half): expected whole characters';

/** A scan over one JSON text: where it stands and, once it failed, what was expected there. */
type TokenScan = { readonly text: string; at: number; expected: string };

function scanString(scan: TokenScan): boolean {
  const { text } = scan;
  for (let at = scan.at + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      scan.at = at + 1;
      return true;
    }
    if (code === BACKSLASH) {
      ESCAPE.lastIndex = at;
      if (!ESCAPE.test(text)) return failAt(scan, at, 'an escape such as \\n or \\u00e9');
      at = ESCAPE.lastIndex - 1;
    } else if (code < SPACE)
      return failAt(scan, at, 'a closing quote (line breaks in a string are written \\n)');
  }
  return failAt(scan, text.length, 'a closing quote');
}

function scanNumber(scan: TokenScan): boolean {
  NUMBER.lastIndex = scan.at;
  const literal = NUMBER.exec(scan.text)?.[0];
  if (literal === undefined) return failAt(scan, scan.at + 1, 'a digit');
  scan.at += literal.length;
  return true;
}

function scanWord(scan: TokenScan): boolean {
  const word = WORDS.find((w) => scan.text.startsWith(w, scan.at));
  if (word === undefined) return fail(scan, 'a value');
  scan.at += word.length;
  return true;
}

/** Moves past white space and then past the character `code`; answers whether the character was there. */
function takeAfterSpace(scan: TokenScan, code: number): boolean {
  skipBlanks(scan);
  if (scan.text.charCodeAt(scan.at) !== code) return false;
  scan.at += 1;
  return true;
}

function skipBlanks(scan: TokenScan): void {
  for (;;) {
    const code = scan.text.charCodeAt(scan.at);
    if (code !== SPACE && code !== LF && code !== CR && code !== TAB) return;
    scan.at += 1;
  }
}

/** Ends the scan: `expected` should stand at its place. */
function fail(scan: TokenScan, expected: string): false {
  scan.expected = expected;
  return false;
}

function failAt(scan: TokenScan, at: number, expected: string): false {
  scan.at = at;
  return fail(scan, expected);
}

const WORDS = ['true', 'false', 'null'] as const;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const TAB = 9;
const LF = 10;
const CR = 13;
const SPACE = 32;
const QUOTE = 34;
const COMMA = 44;
const MINUS = 45;
const ZERO = 48;
const NINE = 57;
const COLON = 58;
const BRACKET = 91;
const BACKSLASH = 92;
const BRACKET_END = 93;
const BRACE = 123;
const BRACE_END = 125;
