import { visitLeaves } from '../model/flatten-record.ts';
import type { JsonObject } from '../model/request.ts';
import type { Row } from '../model/row.ts';
import { BAD_BYTES } from './decode-utf8.ts';
import type { Inspection } from './json-inspect.ts';
import type { Place } from './unreadable-row.ts';
import { NOT_UTF8, unreadableRow } from './unreadable-row.ts';

/** The row that one valid JSON text makes: its text as it stands, or why it can't be read without a guess. */
export function jsonRow(place: Place, text: string, found: Extract<Inspection, { kind: 'valid' }>): Row {
  const problem = problemOf(text, found);
  return problem === null ? { kind: 'record', ...place, text } : unreadableRow(place, text, problem);
}

/** The object that a readable row's text holds. */
export function parseRecord(text: string): JsonObject {
  const record: JsonObject = JSON.parse(text);
  return record;
}

function problemOf(text: string, found: Extract<Inspection, { kind: 'valid' }>): string | null {
  if (text.includes(BAD_BYTES)) return NOT_UTF8;
  if (!found.isObject) return 'no object: expected a record in { }';
  if (found.problem !== null) return found.problem;
  const path = found.hasDottedName ? repeatedPath(parseRecord(text)) : null;
  return path === null
    ? null
    : `the field "${path}" is given twice, once by a name with dots: expected it once`;
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
