/**
 * The front door to JSON: tells from a file's head whether its records stand one per line, follow
 * each other over several lines, or are elements of a list.
 */
import type { Format } from '../../../config/job-definition.ts';
import { UsageError } from '../../../lib/usage-error.ts';
import type { Row } from '../../../model/row.ts';
import { REPORT_MEMBER } from '../../../model/source.ts';
import { MAX_RECORD_CHARS, TOO_LONG, unreadableRow } from '../row.ts';
import { type FileHead, type RowFeed, SOURCE_DEFAULTS, type Understanding } from '../row-feed.ts';
import { createJsonRows } from './list.ts';
import { adviceFor, pointerOf } from './pointer.ts';
import { inspectJson, jsonRow } from './record.ts';
import { endOfFirst, literalOf, nextToken, scannerOf } from './scanner.ts';

export function understandJson(
  path: string,
  head: FileHead,
  type: 'json' | 'ndjson',
  { type: wanted, records }: Pick<Format, 'type' | 'records'>,
): Understanding {
  const isHolder = wanted !== 'ndjson' && isOneHolder(head);
  const lists = isHolder ? listPointers(head.text) : [];
  const isEmpty = isHolder && lists.length === 0 && !HAS_TEXT.test(head.text);
  const recordLists = isEmpty ? listPointers(head.text, ']') : lists;
  const source = {
    ...SOURCE_DEFAULTS,
    type,
    bom: head.bom,
    ...(lists.length === 0 || type === 'json' ? {} : { notes: [oneObject(lists)] }),
    ...(recordLists.length === 0 ? {} : { recordLists: [...recordLists] }),
  };
  if (type === 'ndjson' && isLinewise(head.text))
    return { source, feed: createNdjsonRows(path, recordLists), start: 0 };
  const pointer = type === 'json' ? (records ?? WHOLE_FILE) : null;
  return { source, feed: createJsonRows(path, pointer, recordLists), start: 0 };
}

/** A record has a member that is text; an object that only holds lists need not. */
const HAS_TEXT = /:\s*"/;

const WHOLE_FILE = '';

export function isReportRecord(head: string): boolean {
  const end = endOfFirst(head);
  const record: unknown = end === null ? null : JSON.parse(head.slice(0, end));
  return typeof record === 'object' && record !== null && Object.hasOwn(record, REPORT_MEMBER);
}

function oneObject(lists: readonly string[]): string {
  return (
    'The file is one object with a list of objects in it: where they are ' +
    `the records, format.records has to name it: ${lists.join(' or ')}.`
  );
}

/** False: objects are printed over several lines. */
function isLinewise(head: string): boolean {
  const text = head.trimStart();
  const lineEnd = text.indexOf('\n');
  const firstLine = lineEnd === -1 ? text : text.slice(0, lineEnd);
  return inspectJson(firstLine).kind === 'valid' || !text.startsWith('{') || endOfFirst(text) === null;
}

/** One object that holds a list of objects, as far as the head shows. */
function isOneHolder(head: FileHead): boolean {
  const text = head.text.trimStart();
  if (!text.startsWith('{') || !/:\s*\[\s*[{\]]/.test(text)) return false;
  const end = endOfFirst(text);
  return end === null ? !head.whole : head.whole && text.slice(end).trim() === '';
}

const MOST = 5;

/** Pointers to lists, in no other list, that begin with an object, or with `]` are empty. */
export function listPointers(text: string, first: '{' | ']' = '{'): readonly string[] {
  const scanner = scannerOf(text);
  const found: string[] = [];
  const around: Around[] = [];
  let name = '';
  let before = '';
  for (let token = nextToken(scanner); found.length < MOST; token = nextToken(scanner)) {
    if (token === 'broken' || token === 'end') break;
    const char = text.charAt(scanner.start);
    if (char === first && before === '[' && isOnlyList(around))
      found.push(pointerOf(around.slice(1).map(({ name }) => name)));
    if (token === 'name') name = String(JSON.parse(literalOf(scanner)));
    if (token === 'open') around.push({ name, isList: char === '[' });
    if (token === 'close') around.pop();
    before = char;
  }
  return found;
}

type Around = { readonly name: string; readonly isList: boolean };

/** Whether the innermost is the only list; the outermost is the object itself. */
function isOnlyList(around: readonly Around[]): boolean {
  return around.length > 1 && around.findIndex(({ isList }) => isList) === around.length - 1;
}

/** One row per line that isn't blank; UsageError where no line of the file was JSON. */
function createNdjsonRows(path: string, lists: readonly string[]): RowFeed {
  let rest = '';
  let line = 0;
  let rows = 0;
  let valid = 0;
  let firstProblem = '';

  const rowOf = (text: string): Row[] => {
    line += 1;
    const isTooLong = text.length > MAX_RECORD_CHARS;
    if (!isTooLong && BLANK.test(text)) return [];
    rows += 1;
    const place = { row: rows, line };
    if (isTooLong) return [unreadableRow(place, text, TOO_LONG)];
    const found = inspectJson(text);
    if (found.kind === 'valid') {
      valid += 1;
      return [jsonRow(place, found.text, found.check)];
    }
    const problem = `broken JSON in column ${found.at + 1}: expected ${found.expected}`;
    if (firstProblem === '') firstProblem = `line ${line}: ${problem}`;
    return [unreadableRow(place, text, problem)];
  };
  return (chunk, final) => {
    const lines = (rest + chunk).split('\n');
    rest = final ? '' : (lines.pop() ?? '').slice(0, MAX_HELD_CHARS);
    const made = lines.flatMap((text) => rowOf(text.replace(/\r$/, '')));
    if (final && rows > 0 && valid === 0) throw noJson(path, firstProblem, lists);
    return made;
  };
}

/** With a CR that is no part of it, a line of that length is still too long. */
const MAX_HELD_CHARS = MAX_RECORD_CHARS + 2;

/** JSON's own white space: a line with a no-break space is no JSON. */
const BLANK = /^[ \t\r]*$/;

function noJson(path: string, firstProblem: string, lists: readonly string[]): UsageError {
  const first = firstProblem === '' ? '' : ` (${firstProblem})`;
  const advice = adviceFor(lists, 'export it again, or set format.type');
  return new UsageError(`${path}: no line is JSON${first}: expected one JSON object per line; ${advice}`);
}
