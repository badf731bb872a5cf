/** `onboard template <job>`: a file to start from, as CSV, JSON or an Excel workbook. */
import iconv from 'iconv-lite';
import { readEnvironment } from '../config/environment.ts';
import { type Format, type Job, type JobDefinition, operationOf } from '../config/job-definition.ts';
import { loadJob, loadJobFile } from '../config/load-job.ts';
import { type Io, say, sayContent, shellWord } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import { type TemplateColumn, templateDocument, templateOf, templateRecords } from '../mapping/template.ts';
import { csvText } from '../report/csv-text.ts';
import { catalogOf, pathFieldOf } from '../service/operations.ts';
import { type AddCommand, writeNewFile } from './command.ts';
import type { templateWorkbook } from './template-workbook.ts';

type Flags = {
  readonly jobFile?: string;
  readonly all?: boolean;
  readonly json?: boolean;
  readonly xlsx?: boolean;
  readonly out?: string;
};

const HELP = `
An example row that passes onboard check, under a header in the form that the job reads: the key, the fields that the
job names or requires, then the usual ones, which the shipped samples have; with --all also the others that can be sent.
As JSON: a list of one nested object, or one object per line where the job says format.type: ndjson. As a workbook:
columns that hold identifiers are formatted as text, so that they keep their zeros, and a second sheet explains each
column. Where the job groups rows, there
are two rows of one key.

Examples:
  onboard template counterparty-drafts > payees.csv
  onboard template counterparty-drafts --json > payees.json
  onboard template counterparty-drafts --xlsx --out payees.xlsx`;

export const addTemplateCommand: AddCommand = (program, io, done) => {
  program
    .command('template')
    .description('Print a header line and an example row for a job')
    .argument('[job]', 'name of a job definition in ONBOARD_JOBS', '')
    .option('--job-file <file>', 'a job definition from elsewhere')
    .option('--all', 'with every field that can be sent, not the usual ones alone')
    .option('--json', 'as JSON')
    .option('--xlsx', 'as an Excel workbook; needs --out')
    .option('--out <file>', 'write this file, which must not be there yet, instead of printing')
    .addHelpText('after', HELP)
    .action(async (name: string, flags: Flags) => {
      const { jobsDirectory } = readEnvironment(io.env);
      const { jobFile } = flags;
      const job = jobFile === undefined ? await loadJob(name, jobsDirectory) : await loadJobFile(jobFile);
      await giveTemplate(job, flags, io);
      done(0);
    });
};

async function giveTemplate({ name, definition }: Job, flags: Flags, io: Io): Promise<void> {
  const form = formOf(definition.format.type, flags);
  const pathField = pathFieldOf(operationOf(definition));
  const columns = templateOf(catalogOf(definition), definition, pathField, { all: flags.all === true });
  const content =
    form === 'xlsx'
      ? await workbook(columns, definition.format, name)
      : templateText(form, columns, definition);
  if (flags.out === undefined) {
    sayContent(io, content);
    return;
  }
  await writeNewFile(flags.out, content);
  const job = flags.jobFile === undefined ? shellWord(name) : `--job-file ${shellWord(flags.jobFile)}`;
  say(io, `${flags.out} written. Fill it in, then: onboard check ${job} ${shellWord(flags.out)}`);
}

/** Loads the library only here, since every command would wait for it. */
async function workbook(...template: Parameters<typeof templateWorkbook>): Promise<Buffer> {
  const { templateWorkbook: write } = await import('./template-workbook.ts');
  return write(...template);
}

type Form = 'csv' | 'json' | 'ndjson' | 'xlsx';

/** The form that was asked for, else the one that the job reads; UsageError where the two don't go together. */
function formOf(type: Job['definition']['format']['type'], { json, xlsx, out }: Flags): Form {
  if (json === true && xlsx === true) {
    throw new UsageError('--json and --xlsx: expected one of them; leave one out');
  }
  const asked = xlsx === true ? 'xlsx' : json === true ? (type === 'ndjson' ? 'ndjson' : 'json') : null;
  const form = asked ?? (type === 'auto' ? 'csv' : type);
  if (type !== 'auto' && form !== type) {
    throw new UsageError(
      `the job reads ${type} (format.type): expected a template of that kind; leave out --${form}, or change format.type`,
    );
  }
  if (form === 'xlsx' && (out === undefined || !out.toLowerCase().endsWith('.xlsx'))) {
    throw new UsageError(
      'a workbook can not be printed: expected --out with a file name that ends in .xlsx, for example --out template.xlsx',
    );
  }
  return form;
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
