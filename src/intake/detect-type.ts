import type { Format } from '../config/job-definition.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { SourceInfo } from '../model/source.ts';

type FileType = SourceInfo['type'];

/** The file's type: what the definition says, else by its ending and its first character that is no space. */
export function detectType(path: string, head: string, format: Format): FileType {
  const first = head.trimStart().charAt(0);
  if (format.type === 'csv') return 'csv';
  if (format.type !== 'auto') return first === '[' ? 'json' : jsonWithout(path, first, format.type);
  const ending = endingOf(path);
  if (ending === 'csv') return 'csv';
  if (first === '[') return 'json';
  if (first === '{') return 'ndjson';
  return ending === null ? 'csv' : jsonWithout(path, first, ending);
}

/** Objects one after the other are read the same way whether they are called json or ndjson. */
function jsonWithout(path: string, first: string, type: 'json' | 'ndjson'): FileType {
  if (first === '{' || type === 'ndjson') return 'ndjson';
  throw new UsageError(
    `${path}: is no JSON that can be read: expected [ or { as its first character; if it is CSV, set format.type: csv or name it .csv`,
  );
}

function endingOf(path: string): FileType | null {
  const name = path.toLowerCase();
  if (/\.(csv|tsv)$/.test(name)) return 'csv';
  if (/\.(ndjson|jsonl)$/.test(name)) return 'ndjson';
  return name.endsWith('.json') ? 'json' : null;
}
