/**
 * The front door to JSON: records stand one per line, or are elements of a list. An object that is
 * neither is refused with the lists in it.
 */
import type { Format } from '../../config/job-definition.ts';
import { UsageError } from '../../lib/usage-error.ts';
import type { Row } from '../../model/row.ts';
import { REPORT_MEMBER } from '../../model/source.ts';
import { MAX_RECORD_CHARS, TOO_LONG, unreadableRow } from '../row.ts';
import { type FileHead, type RowFeed, SOURCE_DEFAULTS, type Understanding } from '../row-feed.ts';
import { createJsonRows } from './list.ts';
import { pointerOf } from './pointer.ts';
import { inspectJson, jsonRow } from './record.ts';
import { endOfFirst, literalOf, nextToken, scannerOf } from './scanner.ts';

/** `isPerLine`: the definition or the file's name says so. */
export function understandJson(
  path: string,
  head: FileHead,
  type: 'json' | 'ndjson',
  { records, isPerLine }: { readonly records: Format['records']; readonly isPerLine: boolean },
): Understanding {
  const source = { ...SOURCE_DEFAULTS, type, bom: head.bom };
  if (type === 'json') return { source, feed: createJsonRows(path, records ?? WHOLE_FILE), start: 0 };
  refuseObject(path, head, isPerLine);
  return { source, feed: createNdjsonRows(path), start: 0 };
}

const WHOLE_FILE = '';

/** Lines of an object over several could be records, and an object may hold the list of them. */
function refuseObject(path: string, head: FileHead, isPerLine: boolean): void {
  const text = head.text.trimStart();
  const isOverLines = isPrinted(text);
  const mayHold = !isPerLine && isOneObject(text, head.whole) && !isReportRecord(text);
  const lists = isOverLines || mayHold ? listPointers(text) : [];
  if (!isOverLines && lists.length === 0) return;
  const named = lists.length === 0 ? '' : `set format.records: ${lists.join(' or ')}; or `;
  throw new UsageError(
    `${path}: begins with an object that is no record on a line of its own: expected a list of records or one record per line; ${named}put the object into a list: [ … ]`,
  );
}

function isPrinted(text: string): boolean {
  const line = text.slice(0, text.search(/\n|$/));
  return text.startsWith('{') && inspectJson(line).kind === 'broken' && endOfFirst(text) !== null;
}

/** As far as the head shows. */
function isOneObject(text: string, isWhole: boolean): boolean {
  const end = text.startsWith('{') ? endOfFirst(text) : 0;
  return end === null ? !isWhole : isWhole && text.slice(end).trim() === '';
}

export function isReportRecord(head: string): boolean {
  const end = endOfFirst(head);
  const record: unknown = end === null ? null : JSON.parse(head.slice(0, end));
  return typeof record === 'object' && record !== null && Object.hasOwn(record, REPORT_MEMBER);
}

const MOST = 5;

/** Pointers to lists, in no other list, that begin with an object. */
export function listPointers(text: string): readonly string[] {
  const scanner = scannerOf(text);
  const found: string[] = [];
  const around: Around[] = [];
  let name = '';
  let before = '';
  for (let token = nextToken(scanner); found.length < MOST; token = nextToken(scanner)) {
    if (token === 'broken' || token === 'end') break;
    const char = text.charAt(scanner.start);
    if (char === '{' && before === '[' && isOnlyList(around))
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
function createNdjsonRows(path: string): RowFeed {
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
    if (final && rows > 0 && valid === 0) throw noJson(path, firstProblem);
    return made;
  };
}

/** With a CR that is no part of it, a line of that length is still too long. */
const MAX_HELD_CHARS = MAX_RECORD_CHARS + 2;

/** JSON's own white space: a line with a no-break space is no JSON. */
const BLANK = /^[ \t\r]*$/;

function noJson(path: string, firstProblem: string): UsageError {
  const first = firstProblem === '' ? '' : ` (${firstProblem})`;
  return new UsageError(
    `${path}: no line is JSON${first}: expected one JSON object per line; export it again, or set format.type`,
  );
}
