/**
 * Templates as files: an example row for a job under a header in the form that the job reads, as `onboard template` writes it and the page
 * gives it away.
 */
import iconv from 'iconv-lite';
import { type Format, type Job, type JobDefinition, operationOf } from '../config/job-definition.ts';
import { UsageError } from '../lib/usage-error.ts';
import { type TemplateColumn, templateDocument, templateOf, templateRecords } from '../mapping/template.ts';
import { csvText } from '../report/csv-text.ts';
import { catalogOf, pathFieldOf } from '../service/operations.ts';
import type { templateWorkbook } from './template-workbook.ts';

export type TemplateForm = 'csv' | 'json' | 'ndjson' | 'xlsx';

type Asked = {
  /** With every field that can be sent, not the usual ones alone. */
  readonly all?: boolean | undefined;
  /** `null`: the one that the job reads. */
  readonly form: 'json' | 'xlsx' | null;
};

/** The template's bytes; a UsageError where the job doesn't read files of that form. */
export async function templateFile(
  { name, definition }: Pick<Job, 'name' | 'definition'>,
  { all, form: asked }: Asked,
): Promise<{ readonly form: TemplateForm; readonly content: Buffer }> {
  const form = formOf(definition.format.type, asked);
  const pathField = pathFieldOf(operationOf(definition));
  const columns = templateOf(catalogOf(definition), definition, pathField, { all: all === true });
  const content =
    form === 'xlsx'
      ? await workbook(columns, definition.format, name)
      : templateText(form, columns, definition);
  return { form, content };
}

/** The form that was asked for, else the one that the job reads; a UsageError where the two don't go together. */
function formOf(type: Job['definition']['format']['type'], asked: Asked['form']): TemplateForm {
  const wanted = asked === 'json' && type === 'ndjson' ? 'ndjson' : asked;
  const form = wanted ?? (type === 'auto' ? 'csv' : type);
  if (type === 'auto' || form === type) return form;
  throw new UsageError(
    `the job reads ${type} (format.type): expected a template of that kind; leave out --${form}, or change format.type`,
  );
}

/** Loads the library only here, since every command would wait for it. */
async function workbook(...template: Parameters<typeof templateWorkbook>): Promise<Buffer> {
  const { templateWorkbook: write } = await import('./template-workbook.ts');
  return write(...template);
}

/** A template as a text file in the encoding that the job reads; with a byte order mark where that is UTF-16. */
function templateText(
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
  // The reader passes over the lines above the header, whatever they hold.
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
