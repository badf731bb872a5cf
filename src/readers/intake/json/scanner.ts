/**
 * The one reader of JSON's grammar (RFC 8259), token by token, for text that comes in pieces. What
 * may not stand there is `broken`, with its place and what was expected. Where pieces are cut
 * changes nothing; only the token at the end and what is `kept` are held.
 */
/** `wait`: the next token needs more text. `end`: the text is whole. */
export type Token = 'open' | 'close' | 'name' | 'string' | 'number' | 'word' | 'wait' | 'end' | 'broken';

export type Scanner = {
  text: string;
  /** Where the next token begins, or the first character that can't stand there. */
  at: number;
  start: number;
  /** The line of `at` (1 = first), and where it begins; below 0: that part was let go. */
  line: number;
  lineStart: number;
  /** Text is kept from here on; `null`: from `at` on. */
  kept: number | null;
  /** The brackets that close what is open, outermost first. */
  readonly closers: ('}' | ']')[];
  hasEscape: boolean;
  /** What should stand where the text is broken. */
  expected: string;
  next: Next;
  /** Whether the innermost object or list may close here. */
  mayClose: boolean;
  isFinal: boolean;
  readonly isSequence: boolean;
};

/** In the innermost object or list, or at the top of the text. */
type Next = 'value' | 'name' | 'colon' | 'comma' | 'nothing';

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
    next: 'value',
    mayClose: false,
    isFinal,
    isSequence,
  };
}

export function extend(scanner: Scanner, piece: string, isFinal: boolean): void {
  const before = scanner.kept ?? scanner.at;
  scanner.text = scanner.text.slice(before) + piece;
  scanner.at -= before;
  scanner.lineStart -= before;
  if (scanner.kept !== null) scanner.kept = 0;
  scanner.isFinal = isFinal;
}

export function columnOf({ at, lineStart }: Scanner): number {
  return at - lineStart + 1;
}

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
  return char === '[' ? open(scanner, ']', 'value') : takePlain(scanner, char);
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
  scanner.next = next;
  scanner.mayClose = token === 'open' || next === 'comma';
  return token;
}

function takeString(scanner: Scanner, token: 'name' | 'string'): Token {
  const { text, isFinal } = scanner;
  const plain = endOf(UNESCAPED, scanner);
  scanner.hasEscape = text.charAt(plain) === '\\';
  const end = scanner.hasEscape ? endOf(STRING, scanner) : plain;
  if (text.charAt(end) === '"')
    return taken(scanner, token, end + 1, token === 'name' ? 'colon' : afterValue(scanner));
  const isEscape = text.charAt(end) === '\\';
  if (!isFinal && end + (isEscape ? LONGEST_ESCAPE : 1) > text.length) return 'wait';
  scanner.at = end;
  if (isEscape) return fail(scanner, 'an escape such as \\n or \\u00e9');
  const advice = end === text.length ? '' : ' (line breaks in a string are written \\n)';
  return fail(scanner, `a closing quote${advice}`);
}

const LONGEST_ESCAPE = 6;

/** A number or a word shows its end only by what follows it. */
function takePlain(scanner: Scanner, first: string): Token {
  const { text, at, isFinal, closers } = scanner;
  const next = endOf(RUN, scanner);
  if (next === text.length && !isFinal) return 'wait';
  const end = endOf(PLAIN, scanner);
  const isNumber = first === '-' || (first >= '0' && first <= '9');
  if (end === at) {
    if (isNumber) scanner.at += 1;
    return fail(scanner, isNumber ? 'a digit' : 'a value');
  }
  const token = taken(scanner, isNumber ? 'number' : 'word', end, afterValue(scanner));
  if (end === next) return token;
  return fail(scanner, closers.length === 0 ? 'nothing more' : expectedIn(scanner));
}

function endOf(form: RegExp, { text, at }: Scanner): number {
  form.lastIndex = at;
  return form.test(text) ? form.lastIndex : at;
}

/** Ends the scan; `expected`: what should stand here. */
function fail(scanner: Scanner, expected: string): Token {
  scanner.expected = expected;
  return 'broken';
}

const UNESCAPED = /"[ !#-[\]-\uffff]*/y;
/** Without its closing quote. In brackets: all signs but quote, backslash and controls. */
const STRING = /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\uffff]*)*/y;
const PLAIN = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** Up to what may follow a number or a word. */
const RUN = /[^,\]} \n\r\t]+/y;
const TAB = 9;
const LF = 10;
const CR = 13;
const SPACE = 32;
