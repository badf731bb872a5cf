/** How deep in objects, lists and strings a scan stands; it can go on in the next stretch of text. */
export type DepthScan = { depth: number; inString: boolean; isEscaped: boolean };

/** At the opening character of a JSON value, before it. */
export function newDepthScan(): DepthScan {
  return { depth: 0, inString: false, isEscaped: false };
}

/** Index after the end of the object, list or string that the scan is in; -1 where the text ends first. Checks nothing but the balance. */
export function endOfValue(scan: DepthScan, text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (scan.inString) stepInString(scan, code);
    else if (code === QUOTE) scan.inString = true;
    else if (code === BRACE || code === BRACKET) scan.depth += 1;
    else if (code === BRACE_END || code === BRACKET_END) scan.depth -= 1;
    else continue;
    if (scan.depth <= 0 && !scan.inString) return at + 1;
  }
  return -1;
}

function stepInString(scan: DepthScan, code: number): void {
  if (scan.isEscaped) scan.isEscaped = false;
  else if (code === BACKSLASH) scan.isEscaped = true;
  else if (code === QUOTE) scan.inString = false;
}

const QUOTE = 34;
const BRACKET = 91;
const BACKSLASH = 92;
const BRACKET_END = 93;
const BRACE = 123;
const BRACE_END = 125;
