import iconv from 'iconv-lite';
import type { Format, JobDefinition } from '../config/job-definition.ts';
import { type TemplateColumn, templateDocument, templateRecords } from '../mapping/template.ts';
import { csvText } from '../report/csv-text.ts';

/** A template as a text file in the encoding that the job reads; with a byte order mark where that is UTF-16. */
export function templateText(
  form: 'csv' | 'json' | 'ndjson',
  columns: readonly TemplateColumn[],
  definition: JobDefinition,
): Buffer {
  const { encoding } = definition.format;
  const text = form === 'csv' ? csvOf(columns, definition.format) : jsonOf(form, columns, definition);
  const addBOM = encoding.startsWith('utf-16');
  return iconv.encode(text, encoding === 'auto' ? 'utf-8' : encoding, { addBOM });
}

function csvOf(columns: readonly TemplateColumn[], format: Format): string {
  const { delimiter, quote, header = 1 } = format;
  const sign = delimiter === 'auto' ? ',' : delimiter === '\\t' ? '\t' : delimiter;
  const rows = columns[0]?.cells.map((_, row) => columns.map(({ cells }) => cells[row] ?? '')) ?? [];
  // What stands above the header is passed over, whatever it is.
  const above = '\n'.repeat(header - 1);
  return above + csvText([columns.map((column) => column.header), ...rows], { delimiter: sign, quote });
}

function jsonOf(
  form: 'json' | 'ndjson',
  columns: readonly TemplateColumn[],
  definition: JobDefinition,
): string {
  const records = templateRecords(columns, definition);
  if (form === 'ndjson') return records.map((record) => `${JSON.stringify(record)}\n`).join('');
  return `${JSON.stringify(templateDocument(records, definition), null, 2)}\n`;
}
