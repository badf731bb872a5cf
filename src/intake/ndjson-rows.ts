import { UsageError } from '../lib/usage-error.ts';
import type { Row } from '../model/row.ts';
import { inspectJson } from './json-inspect.ts';
import { jsonRow } from './json-row.ts';
import { MAX_RECORD_CHARS, MAX_UNREADABLE_CHARS } from './limits.ts';
import type { RowFeed } from './row-feed.ts';
import { TOO_LONG, unreadableRow } from './unreadable-row.ts';

type Line = { readonly text: string; readonly line: number; readonly isTooLong: boolean };

/** Makes a row of every line that isn't blank; UsageError at the end of the file where not one of them was JSON. */
export function createNdjsonRows(path: string): RowFeed {
  const split = createLineSplitter();
  let rows = 0;
  let valid = 0;
  let firstProblem = '';

  const rowOf = (line: Line): Row[] => {
    const text = trimSpace(line.text);
    if (text === '') return [];
    rows += 1;
    const place = { row: rows, line: line.line };
    if (line.isTooLong) return [unreadableRow(place, text, TOO_LONG)];
    const found = inspectJson(text);
    if (found.kind === 'valid') {
      valid += 1;
      return [jsonRow(place, text, found)];
    }
    const column = 1 + line.text.indexOf(text) + found.at;
    const problem = `broken JSON in column ${column}: expected ${found.expected}`;
    if (firstProblem === '') firstProblem = `line ${line.line}: ${problem}`;
    return [unreadableRow(place, text, problem)];
  };
  return (chunk, final) => {
    const made = split(chunk, final).flatMap(rowOf);
    if (final && rows > 0 && valid === 0) throw noJson(path, firstProblem);
    return made;
  };
}

function noJson(path: string, firstProblem: string): UsageError {
  const first = firstProblem === '' ? '' : ` (${firstProblem})`;
  return new UsageError(
    `${path}: no line is JSON${first}: expected one JSON object per line; export it again, or set format.type if it is something else`,
  );
}

/** Cuts text into lines; a line that is longer than a record may be is passed over but for its beginning. */
function createLineSplitter(): (chunk: string, final: boolean) => readonly Line[] {
  let rest = '';
  let line = 0;
  let isTooLong = false;
  const lineOf = (text: string): Line => {
    line += 1;
    const whole = { text, line, isTooLong: isTooLong || text.length > MAX_RECORD_CHARS };
    isTooLong = false;
    return whole;
  };
  return (chunk, final) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    const lines = parts.map(lineOf);
    if (final) lines.push(lineOf(rest));
    if (rest.length > MAX_RECORD_CHARS) {
      isTooLong = true;
      rest = rest.slice(0, MAX_UNREADABLE_CHARS);
    }
    return lines;
  };
}

/** JSON's white space only: `trim` would take off a no-break space that makes a line no JSON. */
function trimSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charCodeAt(start))) start += 1;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isSpace(code: number): boolean {
  return code === 32 || code === 9 || code === 13;
}
