import type { Format } from '../config/job-definition.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { SourceInfo } from '../model/source.ts';
import type { CsvDialect } from './csv-dialect.ts';
import { detectNewline } from './csv-dialect.ts';
import { readHeader } from './csv-header.ts';
import { createCsvRows } from './csv-rows.ts';
import { detectDelimiter } from './detect-delimiter.ts';
import { detectType } from './detect-type.ts';
import type { FileHead } from './file-head.ts';
import { createJsonRows } from './json-rows.ts';
import { isLinewise } from './linewise.ts';
import { createNdjsonRows } from './ndjson-rows.ts';
import type { RowFeed } from './row-feed.ts';

/** How a file is read: what it is, what makes rows of it, and where in the head the rows begin. */
export type Understanding = { readonly source: SourceInfo; readonly feed: RowFeed; readonly start: number };

/** Tells from a file's head how to read it; UsageError where that can't be told or the header is broken. */
export function understand(path: string, head: FileHead, format: Format): Understanding {
  const type = detectType(path, head.text, format);
  if (type === 'csv') return understandCsv(path, head, format);
  const source = { type, encoding: 'utf-8', bom: head.bom, delimiter: null, quote: null, columns: [] };
  return { source, feed: jsonFeed(path, type, head), start: 0 };
}

function jsonFeed(path: string, type: 'json' | 'ndjson', head: FileHead): RowFeed {
  if (type === 'json') return createJsonRows(path, 'list');
  return isLinewise(head.text) ? createNdjsonRows(path) : createJsonRows(path, 'sequence');
}

function understandCsv(path: string, head: FileHead, format: Format): Understanding {
  const dialect = dialectOf(path, head, format);
  const header = readHeader(path, head, dialect);
  const { delimiter, quote } = dialect;
  const source = {
    type: 'csv' as const,
    encoding: 'utf-8',
    bom: head.bom,
    delimiter,
    quote,
    columns: [...header.columns],
  };
  return { source, feed: createCsvRows(path, header, dialect), start: header.end };
}

function dialectOf(path: string, head: FileHead, format: Format): CsvDialect {
  const { quote, trim } = format;
  const rest = { quote, trim, newline: detectNewline(head.text, quote) };
  if (format.delimiter === 'auto') return { ...rest, delimiter: detectDelimiter(path, head, rest) };
  const delimiter = format.delimiter === '\\t' ? '\t' : format.delimiter;
  if (delimiter === quote || /[\r\n]/.test(delimiter + quote)) {
    throw new UsageError(
      `${path}: format.delimiter and format.quote: expected two different characters and no line break; change one in the job definition`,
    );
  }
  return { ...rest, delimiter };
}
