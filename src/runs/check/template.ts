/** A header and an example row as a file that the job reads: `onboard template`, and the page. */

import iconv from 'iconv-lite';
import { type Format, type Job, type JobDefinition, operationOf } from '../../config/job-definition.ts';
import { catalogOf } from '../../delivery/service/operations.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { pathFieldOf } from '../../operations/operations.ts';
import {
  type TemplateColumn,
  templateDocument,
  templateOf,
  templateRecord,
} from '../../readers/mapping/template.ts';
import { csvText } from '../report/csv-text.ts';

type TemplateForm = 'csv' | 'json' | 'ndjson';

/** A UsageError where JSON is asked for, and the job reads none. */
export function templateFile(
  { definition }: Pick<Job, 'definition'>,
  asked: { readonly json: boolean },
): { readonly form: TemplateForm; readonly content: Buffer } {
  const form = formOf(definition.format.type, asked.json);
  const pathField = pathFieldOf(operationOf(definition));
  const columns = templateOf(catalogOf(definition), definition, pathField);
  return { form, content: templateText(form, columns, definition) };
}

function formOf(type: Format['type'], isJsonAsked: boolean): TemplateForm {
  if (type === 'json' || type === 'ndjson') return type;
  if (!isJsonAsked) return 'csv';
  if (type === 'auto') return 'json';
  throw new UsageError(
    `the job reads ${type} (format.type): expected a template of ` +
      'that kind; leave out --json, or change format.type',
  );
}

/** In the encoding that the job reads; with a byte order mark where that is UTF-16. */
function templateText(
  form: TemplateForm,
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
  const sign = DELIMITERS[delimiter] ?? delimiter;
  // The reader passes over the lines above the header, whatever they hold.
  const above = '\n'.repeat(header - 1);
  const rows = [columns.map(({ header }) => header), columns.map(({ cell }) => cell)];
  return above + csvText(rows, { delimiter: sign, quote });
}

/** What settings that are no sign stand for. */
const DELIMITERS: Readonly<Record<string, string>> = { auto: ',', '\\t': '\t' };

function jsonOf(
  form: 'json' | 'ndjson',
  columns: readonly TemplateColumn[],
  definition: JobDefinition,
): string {
  const record = templateRecord(columns, definition);
  if (form === 'ndjson') return `${JSON.stringify(record)}\n`;
  return `${JSON.stringify(templateDocument(record, definition), null, 2)}\n`;
}
