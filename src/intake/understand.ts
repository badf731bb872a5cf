import type { Format } from '../config/job-definition.ts';
import type { SourceInfo } from '../model/source.ts';
import { noWorkbook } from './container.ts';
import { readHeader } from './csv-header.ts';
import { readPreamble } from './csv-preamble.ts';
import { createCsvRows } from './csv-rows.ts';
import { detectType } from './detect-type.ts';
import type { FileHead } from './file-head.ts';
import { createJsonRows } from './json-rows.ts';
import { isLinewise, isOneHolder } from './linewise.ts';
import { listPointers } from './list-pointers.ts';
import { createNdjsonRows } from './ndjson-rows.ts';
import { formatFor, isReportText } from './report-format.ts';
import type { RowFeed } from './row-feed.ts';
import { tellDialect } from './tell-dialect.ts';

/** How a file is read: what it is, what makes rows of it, and where in the head the rows begin. */
export type Understanding = { readonly source: SourceInfo; readonly feed: RowFeed; readonly start: number };

/** Tells from a file's head how to read it; UsageError where that can't be told or the header is broken. */
export function understand(path: string, head: FileHead, format: Format): Understanding {
  const isReport = isReportText(head.text);
  if (format.type === 'xlsx' && !isReport) throw noWorkbook(path);
  const type = detectType(path, head.text, format);
  if (type === 'csv') return understandCsv(path, head, isReport ? formatFor(head.text, format) : format);
  const lists = type === 'ndjson' && isOneHolder(head) ? listPointers(head.text) : [];
  const source = {
    ...PLAIN,
    type,
    bom: head.bom,
    delimiter: null,
    quote: null,
    columns: [],
    ...(lists.length === 0 ? {} : { recordLists: [...lists], notes: [oneObject(lists)] }),
  };
  return { source, feed: jsonFeed(path, type, { head, format }), start: 0 };
}

const PLAIN = {
  encoding: 'utf-8' as const,
  compression: 'none' as const,
  headerLine: 1,
  sheet: null,
  notes: [],
};

function oneObject(lists: readonly string[]): string {
  return `The file is one object with a list of objects in it: where those are the records, format.records has to name the list: ${lists.join(' or ')}.`;
}

function jsonFeed(
  path: string,
  type: 'json' | 'ndjson',
  { head, format }: { readonly head: FileHead; readonly format: Format },
): RowFeed {
  if (type === 'ndjson')
    return isLinewise(head.text) ? createNdjsonRows(path) : createJsonRows(path, 'sequence');
  return createJsonRows(path, format.records === undefined ? 'list' : { pointer: format.records });
}

function understandCsv(path: string, head: FileHead, format: Format): Understanding {
  const preamble = readPreamble(path, head, format);
  const { dialect, notes } = tellDialect(path, head, { preamble, format });
  const header = readHeader(path, head, { preamble, dialect, encoding: format.encoding });
  const { delimiter, quote } = dialect;
  const source = {
    ...PLAIN,
    type: 'csv' as const,
    bom: head.bom,
    headerLine: header.headerLine,
    notes: [...notes],
    delimiter,
    quote,
    columns: [...header.columns],
  };
  return { source, feed: createCsvRows(path, header, dialect), start: header.end };
}
