import { isForbiddenName } from './forbidden-name.ts';
import { isExactNumber } from './json-number.ts';
import type { TokenScan } from './json-token.ts';
import { fail, scanNumber, scanString, scanWord, skipSpace, takeAfterSpace } from './json-token.ts';
import { MAX_DEPTH } from './limits.ts';

/** What one JSON text is like. */
export type Inspection =
  | {
      readonly kind: 'valid';
      readonly isObject: boolean;
      /** What `JSON.parse` would change or lose without a word, or what may not be sent; `null` where there is no such thing. */
      readonly problem: string | null;
      /** A member's name contains a dot, so two members may spell the same field path. */
      readonly hasDottedName: boolean;
    }
  /** `at`: index of the first character that can't stand there (the text's length: it ends too early). */
  | { readonly kind: 'broken'; readonly at: number; readonly expected: string };

type Scan = TokenScan & {
  problem: string | null;
  isTooDeep: boolean;
  hasDottedName: boolean;
};

/**
 * Goes over one JSON text (RFC 8259) that `JSON.parse` accepts exactly where this finds it valid. What it finds beyond that:
 * members given twice, numbers a double would round, names that would reach a prototype, nesting too deep.
 */
export function inspectJson(text: string): Inspection {
  const scan: Scan = { text, at: 0, expected: '', problem: null, isTooDeep: false, hasDottedName: false };
  skipSpace(scan);
  const isObject = text.charCodeAt(scan.at) === BRACE;
  const isWhole = scanValue(scan, 1);
  if (isWhole && !scan.isTooDeep) {
    skipSpace(scan);
    if (scan.at < text.length) return { kind: 'broken', at: scan.at, expected: 'nothing more' };
  }
  if (!isWhole && !scan.isTooDeep) return { kind: 'broken', at: scan.at, expected: scan.expected };
  return { kind: 'valid', isObject, problem: scan.problem, hasDottedName: scan.hasDottedName };
}

function scanValue(scan: Scan, depth: number): boolean {
  skipSpace(scan);
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

/** Only an escape can spell what no encoded text holds. */
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

/** Stops for good at the depth limit: what is deeper isn't looked at, so that no text can exhaust the stack. */
function scanNested(scan: Scan, depth: number, code: number): boolean {
  if (depth > MAX_DEPTH) {
    scan.problem ??= `nested deeper than ${MAX_DEPTH} levels: expected a flatter record`;
    scan.isTooDeep = true;
    return false;
  }
  return code === BRACE ? scanObject(scan, depth) : scanArray(scan, depth);
}

function scanObject(scan: Scan, depth: number): boolean {
  const names = new Set<string>();
  scan.at += 1;
  if (takeAfterSpace(scan, BRACE_END)) return true;
  for (;;) {
    skipSpace(scan);
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
  if (names.has(name)) scan.problem ??= `the member "${shown(name)}" is given twice: expected it once`;
  names.add(name);
  if (isForbiddenName(name)) scan.problem ??= `the member "${shown(name)}" is refused: expected another name`;
  if (name.includes('.')) scan.hasDottedName = true;
}

function shown(name: string): string {
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
const QUOTE = 34;
const COMMA = 44;
const MINUS = 45;
const ZERO = 48;
const NINE = 57;
const COLON = 58;
const BRACKET = 91;
const BRACKET_END = 93;
const BRACE = 123;
const BRACE_END = 125;
