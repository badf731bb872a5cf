/**
 * The front door to JSON: tells from a file's head whether its records stand one per line, follow each other over
 * several lines, or are the elements of a list, and reads those that stand one per line itself (the others: list.ts).
 */
import type { Format } from '../../config/job-definition.ts';
import { UsageError } from '../../lib/usage-error.ts';
import type { Row } from '../../model/row.ts';
import { REPORT_MEMBER } from '../../model/source.ts';
import { MAX_RECORD_CHARS, MAX_UNREADABLE_CHARS, TOO_LONG, unreadableRow } from '../row.ts';
import { type FileHead, type RowFeed, TEXT_SOURCE, type Understanding } from '../row-feed.ts';
import { endOfValue } from './cursor.ts';
import { createJsonRows } from './list.ts';
import { pointerOf } from './pointer.ts';
import { inspectJson, jsonRow } from './record.ts';

/** Tells how a JSON file is read: `json` is one list, or an object that holds it; `ndjson` objects one after the other. */
export function understandJson(
  path: string,
  head: FileHead,
  type: 'json' | 'ndjson',
  records: Format['records'],
): Understanding {
  const isHolder = type === 'ndjson' && isOneHolder(head);
  const lists = isHolder ? listPointers(head.text) : [];
  const empty =
    isHolder && lists.length === 0 && !HAS_TEXT.test(head.text) ? listPointers(head.text, ']') : [];
  const source = {
    ...TEXT_SOURCE,
    type,
    bom: head.bom,
    delimiter: null,
    quote: null,
    columns: [],
    ...(lists.length === 0 ? {} : { notes: [oneObject(lists)] }),
    ...(lists.length + empty.length === 0 ? {} : { recordLists: [...lists, ...empty] }),
  };
  return { source, feed: feedFor(path, head, type, records), start: 0 };
}

/** A record has a member that is text; what only holds a list of records need not. */
const HAS_TEXT = /:\s*"/;

function feedFor(path: string, head: FileHead, type: 'json' | 'ndjson', records: Format['records']): RowFeed {
  if (type === 'json') return createJsonRows(path, records === undefined ? 'list' : { pointer: records });
  return isLinewise(head.text) ? createNdjsonRows(path) : createJsonRows(path, 'sequence');
}

/** Whether a JSON text begins with a record of a report: those follow each other, also in a file that a person renamed. */
export function isReportRecord(head: string): boolean {
  const text = head.trimStart();
  const end = endOfValue(text, 0);
  return end !== -1 && hasReportMember(text.slice(0, end));
}

function hasReportMember(text: string): boolean {
  try {
    const record: unknown = JSON.parse(text);
    return typeof record === 'object' && record !== null && Object.hasOwn(record, REPORT_MEMBER);
  } catch {
    return false;
  }
}

function oneObject(lists: readonly string[]): string {
  return `The file is one object with a list of objects in it: where those are the records, format.records has to name the list: ${lists.join(' or ')}.`;
}

/** Whether JSON objects stand one per line, or follow each other in another way, for example printed over several lines. */
function isLinewise(head: string): boolean {
  const text = head.trimStart();
  const lineEnd = text.indexOf('\n');
  const firstLine = lineEnd === -1 ? text : text.slice(0, lineEnd);
  if (isValid(firstLine)) return true;
  const end = endOfValue(text, 0);
  return end === -1 || !text.startsWith('{') || !isValid(text.slice(0, end));
}

/** Whether a file, as far as its head shows, is one object that holds a list of objects. */
function isOneHolder(head: FileHead): boolean {
  const text = head.text.trimStart();
  if (!text.startsWith('{') || !/:\s*\[\s*[{\]]/.test(text)) return false;
  const end = endOfValue(text, 0);
  return end === -1 ? !head.whole : head.whole && text.slice(end).trim() === '';
}

function isValid(text: string): boolean {
  return inspectJson(text).kind === 'valid';
}

type Around = { readonly name: string; readonly isList: boolean };

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g;

/** Lists to name at most: more of them tell nobody where the records are. */
const MOST = 5;

/** JSON pointers to the lists of objects that an object holds, not inside other lists, as far as its text goes. */
export function listPointers(text: string, first: '{' | ']' = '{'): readonly string[] {
  const found: string[] = [];
  const around: Around[] = [];
  let name = '';
  let before = '';
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === ':') name = nameOf(before);
    if (token === first && before === '[' && isOnlyList(around))
      found.push(pointerOf(around.slice(1).map(({ name }) => name)));
    if (token === '{' || token === '[') around.push({ name, isList: token === '[' });
    if (token === '}' || token === ']') around.pop();
    before = token;
    if (found.length === MOST) break;
  }
  return found;
}

/** Whether the innermost of these is the only list; the outermost is the object itself. */
function isOnlyList(around: readonly Around[]): boolean {
  return around.length > 1 && around.findIndex(({ isList }) => isList) === around.length - 1;
}

function nameOf(token: string): string {
  try {
    return String(JSON.parse(token));
  } catch {
    return '';
  }
}

/** Makes a row of every line that isn't blank; UsageError at the end of a file in which no line was JSON. */
function createNdjsonRows(path: string): RowFeed {
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

type Line = { readonly text: string; readonly line: number; readonly isTooLong: boolean };

/** Cuts text into lines; of a line that is longer than a record may be only the beginning is kept. */
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

/** The text without JSON's white space at its ends: `trim` would also take off a no-break space, which makes a line no JSON. */
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
