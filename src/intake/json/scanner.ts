/**
 * The one reader of JSON's grammar (RFC 8259), token by token, for text that comes in pieces. What
 * may not stand there is `broken`, with its place and what was expected. Where pieces are cut
 * changes nothing; only the token at the end and what is `kept` are held.
 */
import { MAX_RECORD_CHARS } from '../row.ts';

/** `wait`: the next token needs more text. `end`: the text is whole. */
export type Token = 'open' | 'close' | 'name' | 'string' | 'number' | 'word' | 'wait' | 'end' | 'broken';

export type Scanner = {
  text: string;
  /** Where the next token begins, or the first character that can't stand there. */
  at: number;
  /** Where the last token began. */
  start: number;
  /** The line of `at` (1 = first), and where it begins; below 0: that part was let go. */
  line: number;
  lineStart: number;
  /** Text is kept from here on; `null`: from `at` on. */
  kept: number | null;
  /** The brackets that close what is open, outermost first. */
  readonly closers: ('}' | ']')[];
  /** Whether the last string has an escape. */
  hasEscape: boolean;
  /** What should stand where the text is broken. */
  expected: string;
  /** How far the string at `at` has been looked through. */
  searched: number;
  next: Next;
  /** Whether the innermost object or list may close here. */
  mayClose: boolean;
  isFinal: boolean;
  readonly isSequence: boolean;
};

/** In the innermost object or list, or at the top of the text. */
type Next = 'value' | 'name' | 'colon' | 'comma' | 'nothing';

/** For text that is whole, or comes by `extend`. */
export function scannerOf(text: string, isFinal = true, isSequence = false): Scanner {
  return {
    text,
    at: 0,
    start: 0,
    line: 1,
    lineStart: 0,
    kept: null,
    closers: [],
    hasEscape: false,
    expected: '',
    searched: 0,
    next: 'value',
    mayClose: false,
    isFinal,
    isSequence,
  };
}

/** Lets go of what need not be kept. */
export function extend(scanner: Scanner, piece: string, isFinal: boolean): void {
  letGo(scanner, scanner.kept ?? scanner.at);
  scanner.text += piece;
  scanner.isFinal = isFinal;
}

function letGo(scanner: Scanner, before: number): void {
  scanner.text = scanner.text.slice(before);
  scanner.at -= before;
  scanner.lineStart -= before;
  scanner.searched -= before;
  if (scanner.kept !== null) scanner.kept -= before;
}

/** Keeps nothing more of the text; a string it ends in goes on as if it had begun here. */
export function dropKept(scanner: Scanner): void {
  const isInString = scanner.searched > scanner.at + 1;
  scanner.kept = null;
  letGo(scanner, isInString ? scanner.searched - 1 : scanner.at);
  if (!isInString) return;
  scanner.text = `"${scanner.text.slice(1)}`;
  scanner.at = 0;
}

/** The column of `at`, 1 = first. */
export function columnOf({ at, lineStart }: Scanner): number {
  return at - lineStart + 1;
}

/** The text of the last token. */
export function literalOf({ text, start, at }: Scanner): string {
  return text.slice(start, at);
}

/** `null`: the value is broken, or the text ends before it does. */
export function endOfFirst(text: string): number | null {
  const scanner = scannerOf(text);
  for (;;) {
    const token = nextToken(scanner);
    if (token === 'broken' || token === 'end') return null;
    if (token !== 'name' && scanner.closers.length === 0) return scanner.at;
  }
}

export function nextToken(scanner: Scanner): Token {
  for (;;) {
    skipSpace(scanner);
    const { text, at, isFinal } = scanner;
    if (at >= text.length) return isFinal ? atEnd(scanner) : 'wait';
    const token = step(scanner, text.charAt(at));
    if (token !== null) return token;
  }
}

/** Counts lines here: JSON has line breaks in white space alone. */
function skipSpace(scanner: Scanner): void {
  const { text } = scanner;
  for (let at = scanner.at; isSpace(text.charCodeAt(at)); ) {
    const isBreak = text.charCodeAt(at) === LF;
    at += 1;
    scanner.at = at;
    if (!isBreak) continue;
    scanner.line += 1;
    scanner.lineStart = at;
  }
}

function isSpace(code: number): boolean {
  return code === SPACE || code === LF || code === CR || code === TAB;
}

function atEnd(scanner: Scanner): Token {
  const { next, closers, isSequence } = scanner;
  const mayEnd = next === 'nothing' || (isSequence && closers.length === 0);
  return mayEnd ? 'end' : fail(scanner, expectedIn(scanner));
}

function expectedIn({ next, mayClose, closers }: Scanner): string {
  const closing = mayClose ? ` or ${closers.at(-1)}` : '';
  return `${EXPECTED[next]}${closing}`;
}

const EXPECTED: Readonly<Record<Next, string>> = {
  value: 'a value',
  name: 'a member name in double quotes',
  colon: 'a colon',
  comma: 'a comma',
  nothing: 'nothing more',
};

/** `null`: past a comma or a colon, which are no tokens. */
function step(scanner: Scanner, char: string): Token | null {
  const { next, mayClose, closers } = scanner;
  const closer = closers.at(-1);
  if (mayClose && char === closer) return close(scanner);
  switch (next) {
    case 'value':
      return takeValue(scanner, char);
    case 'name':
      return char === '"' ? takeString(scanner, 'name') : fail(scanner, expectedIn(scanner));
    case 'colon':
      return pass(scanner, char === ':', 'value');
    case 'comma':
      return pass(scanner, char === ',', closer === '}' ? 'name' : 'value');
    case 'nothing':
      return fail(scanner, expectedIn(scanner));
    default:
      return next satisfies never;
  }
}

function pass(scanner: Scanner, isRight: boolean, next: Next): Token | null {
  if (!isRight) return fail(scanner, expectedIn(scanner));
  scanner.at += 1;
  scanner.next = next;
  scanner.mayClose = false;
  return null;
}

function takeValue(scanner: Scanner, char: string): Token {
  if (char === '"') return takeString(scanner, 'string');
  if (char === '{') return open(scanner, '}', 'name');
  if (char === '[') return open(scanner, ']', 'value');
  return char === '-' || (char >= '0' && char <= '9') ? takeNumber(scanner) : takeWord(scanner);
}

function open(scanner: Scanner, closer: '}' | ']', next: Next): Token {
  if (scanner.closers.length >= MAX_OPEN) return fail(scanner, `at most ${MAX_OPEN} levels of nesting`);
  scanner.closers.push(closer);
  return taken(scanner, 'open', scanner.at + 1, next);
}

/** Open brackets are remembered: a file of brackets alone would fill the memory. */
const MAX_OPEN = 100_000;

function close(scanner: Scanner): Token {
  scanner.closers.pop();
  return taken(scanner, 'close', scanner.at + 1, afterValue(scanner));
}

function afterValue({ closers, isSequence }: Scanner): Next {
  if (closers.length > 0) return 'comma';
  return isSequence ? 'value' : 'nothing';
}

function taken(scanner: Scanner, token: Token, end: number, next: Next): Token {
  scanner.start = scanner.at;
  scanner.at = end;
  scanner.searched = 0;
  scanner.next = next;
  scanner.mayClose = token === 'open' || next === 'comma';
  return token;
}

function takeString(scanner: Scanner, token: 'name' | 'string'): Token {
  const { text } = scanner;
  const next = token === 'name' ? 'colon' : afterValue(scanner);
  if (scanner.searched <= scanner.at) scanner.hasEscape = false;
  let at = Math.max(scanner.searched, scanner.at + 1);
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code > BACKSLASH) continue;
    if (code === QUOTE) return taken(scanner, token, at + 1, next);
    if (code < SPACE) return failAt(scanner, at, 'a closing quote (line breaks in a string are written \\n)');
    if (code < BACKSLASH) continue;
    ESCAPE.lastIndex = at;
    if (!ESCAPE.test(text)) return cutEscape(scanner, at);
    scanner.hasEscape = true;
    at = ESCAPE.lastIndex - 1;
  }
  scanner.searched = at;
  return scanner.isFinal ? failAt(scanner, at, 'a closing quote') : 'wait';
}

function cutEscape(scanner: Scanner, at: number): Token {
  const isCut = !scanner.isFinal && at + LONGEST_ESCAPE > scanner.text.length;
  if (!isCut) return failAt(scanner, at, 'an escape such as \\n or \\u00e9');
  scanner.searched = at;
  return 'wait';
}

const LONGEST_ESCAPE = 6;

function takeNumber(scanner: Scanner): Token {
  return takePlain(scanner, NUMBER, 'number') ?? failAt(scanner, scanner.at + 1, 'a digit');
}

function takeWord(scanner: Scanner): Token {
  return takePlain(scanner, WORD, 'word') ?? fail(scanner, 'a value');
}

/** A number or a word shows its end only by what follows it; `null`: there is none. */
function takePlain(scanner: Scanner, form: RegExp, token: 'number' | 'word'): Token | null {
  const { text, at, isFinal } = scanner;
  form.lastIndex = at;
  const end = form.test(text) ? form.lastIndex : at;
  if (end === text.length ? isFinal : end > at && isPlainEnd(text.charCodeAt(end)))
    return taken(scanner, token, end, afterValue(scanner));
  return cutPlain(scanner, end);
}

function isPlainEnd(code: number): boolean {
  return code === COMMA || code === BRACKET_END || code === BRACE_END || isSpace(code);
}

/** What follows ends no value: more of it is to come, or it can't stand there. */
function cutPlain(scanner: Scanner, end: number): Token | null {
  const { text, at, isFinal } = scanner;
  PLAIN_END.lastIndex = end;
  if (!isFinal && !PLAIN_END.test(text)) return text.length - at > MAX_RECORD_CHARS ? null : 'wait';
  if (end === at) return null;
  taken(scanner, 'word', end, afterValue(scanner));
  return fail(scanner, scanner.closers.length === 0 ? 'nothing more' : expectedIn(scanner));
}

/** Ends the scan; `expected`: what should stand here. */
function fail(scanner: Scanner, expected: string): Token {
  scanner.expected = expected;
  return 'broken';
}

function failAt(scanner: Scanner, at: number, expected: string): Token {
  scanner.at = at;
  return fail(scanner, expected);
}

const WORD = /true|false|null/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const PLAIN_END = /[,\]}\s]/g;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const TAB = 9;
const LF = 10;
const CR = 13;
const SPACE = 32;
const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;
const BRACKET_END = 93;
const BRACE_END = 125;
