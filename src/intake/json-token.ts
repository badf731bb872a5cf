/** A scan over one JSON text: where it stands and, once it failed, what was expected there. */
export type TokenScan = { readonly text: string; at: number; expected: string };

/** The string (RFC 8259, 7) that starts at the scan. */
export function scanString(scan: TokenScan): boolean {
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

/** The number (RFC 8259, 6) that starts at the scan. */
export function scanNumber(scan: TokenScan): boolean {
  NUMBER.lastIndex = scan.at;
  const literal = NUMBER.exec(scan.text)?.[0];
  if (literal === undefined) return failAt(scan, scan.at + 1, 'a digit');
  scan.at += literal.length;
  return true;
}

/** `true`, `false` or `null`. */
export function scanWord(scan: TokenScan): boolean {
  const word = WORDS.find((w) => scan.text.startsWith(w, scan.at));
  if (word === undefined) return fail(scan, 'a value');
  scan.at += word.length;
  return true;
}

/** Moves past white space and then past the character `code`; answers whether it was there. */
export function takeAfterSpace(scan: TokenScan, code: number): boolean {
  skipSpace(scan);
  if (scan.text.charCodeAt(scan.at) !== code) return false;
  scan.at += 1;
  return true;
}

/** Moves past white space. */
export function skipSpace(scan: TokenScan): void {
  for (;;) {
    const code = scan.text.charCodeAt(scan.at);
    if (code !== SPACE && code !== LF && code !== CR && code !== TAB) return;
    scan.at += 1;
  }
}

/** Ends the scan: `expected` should stand where it is. */
export function fail(scan: TokenScan, expected: string): false {
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
const BACKSLASH = 92;
