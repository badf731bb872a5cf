import type { Format } from '../config/job-definition.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { SourceInfo } from '../model/source.ts';
import { REPORT_MEMBER } from '../model/source.ts';
import { endOfValue, newDepthScan } from './json-depth.ts';

type FileType = Exclude<SourceInfo['type'], 'xlsx'>;

/** The file's type: what the definition says, else by its ending and its first character that is no space. */
export function detectType(path: string, head: string, format: Format): FileType {
  const first = head.trimStart().charAt(0);
  if (format.type === 'csv') return 'csv';
  const isList = first === '[' || (first === '{' && isPointedTo(path, format) && !isReportRecord(head));
  if (format.type !== 'auto' && format.type !== 'xlsx')
    return isList ? 'json' : jsonWithout(path, first, format.type);
  const ending = endingOf(path);
  if (ending === 'csv') return 'csv';
  if (isList) return 'json';
  if (first === '{') return 'ndjson';
  return ending === null ? 'csv' : jsonWithout(path, first, ending);
}

/** One object that holds the list of records; not where the definition or the name says several, as a report's does. */
function isPointedTo(path: string, { type, records }: Format): boolean {
  return records !== undefined && type !== 'ndjson' && endingOf(path) !== 'ndjson';
}

/** A report's rows stand one after the other, also where a person saved them under another name. */
function isReportRecord(head: string): boolean {
  const text = head.trimStart();
  const end = endOfValue(newDepthScan(), text, 0);
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

/** Objects one after the other are read the same way whether they are called json or ndjson. */
function jsonWithout(path: string, first: string, type: 'json' | 'ndjson'): FileType {
  if (first === '{' || type === 'ndjson') return 'ndjson';
  throw new UsageError(
    `${path}: is no JSON that can be read: expected [ or { as its first character; if it is CSV, set format.type: csv or name it .csv`,
  );
}

function endingOf(path: string): FileType | null {
  const name = path.toLowerCase().replace(/\.gz$/, '');
  if (/\.(csv|tsv)$/.test(name)) return 'csv';
  if (/\.(ndjson|jsonl)$/.test(name)) return 'ndjson';
  return name.endsWith('.json') ? 'json' : null;
}
