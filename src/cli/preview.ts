/** `onboard preview`: what the reader sees in a file, before any job is known. */
import { type Format, formatSchema } from '../config/job-definition.ts';
import { readChunks } from '../intake/chunks.ts';
import { previewLines } from '../intake/preview.ts';
import { readSample, surveyFile } from '../intake/survey.ts';
import { type Io, say, sayJson, windowOf } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import { flattenRecord } from '../model/flatten-record.ts';
import { parseRecord } from '../model/json-record.ts';
import type { Row } from '../model/row.ts';
import { ENCODINGS, type SourceInfo } from '../model/source.ts';
import { type AddCommand, wholeNumber } from './command.ts';

/** The settings of `format` in a job definition that a preview takes as flags. */
type FormatFlags = {
  readonly delimiter: string;
  readonly quote?: string;
  readonly escape?: string;
  readonly encoding: string;
  readonly header?: number;
  readonly comment?: string;
  readonly sheet?: string;
  readonly records?: string;
};

type Flags = FormatFlags & {
  readonly all?: boolean;
  readonly json?: boolean;
  readonly rows: number;
};

/** So many rows are looked at to say how sure the reader is, however few are shown. */
const SAMPLE_ROWS = 100;

export const addPreviewCommand: AddCommand = (program, io, done) => {
  program
    .command('preview')
    .description('Show how a file is understood: encoding, delimiter, header, first rows')
    .argument('<file>', 'a CSV, JSON, NDJSON or Excel file')
    .option('--rows <n>', 'how many rows', wholeNumber, 10)
    .option('--all', 'all rows, with --json')
    .option('--delimiter <sign>', 'instead of finding it', 'auto')
    .option('--quote <sign>', 'CSV: the quote character, instead of "')
    .option(
      '--escape <sign>',
      'CSV: what stands before a quote within a quoted cell, where it is not doubled',
    )
    .option('--encoding <name>', `instead of finding it: ${ENCODINGS.join(', ')}`, 'auto')
    .option('--header <n>', 'CSV, workbooks: the line of the header', wholeNumber)
    .option('--comment <sign>', 'CSV: lines that begin with it are passed over')
    .option('--sheet <name>', 'workbooks: the sheet, instead of the first')
    .option('--records <pointer>', 'JSON: the list of records in an object, e.g. /data/items')
    .option('--json', 'NDJSON: how it is understood, then a line per row')
    .addHelpText(
      'after',
      '\nExamples:\n  onboard preview portfolio.csv\n  onboard preview portfolio.csv --all --json',
    )
    .action(async (file: string, flags: Flags) => {
      await preview(file, flags, io);
      done(0);
    });
};

async function preview(file: string, flags: Flags, io: Io): Promise<void> {
  const format = formatOf(flags);
  if (flags.all === true) return previewAll(file, format, { json: flags.json === true, io });
  const { source, rows } = await readSample(file, format, Math.max(flags.rows + 1, SAMPLE_ROWS));
  if (flags.json === true) saySample(source, rows.slice(0, flags.rows), io);
  else
    for (const line of previewLines(
      source,
      rows,
      flags.rows,
      io.stdout.isTTY === true ? windowOf(io.stdout) : undefined,
    ))
      say(io, line);
}

const EXPECTED: Readonly<Record<keyof FormatFlags, string>> = {
  delimiter: 'one character, \\t for a tab, or auto',
  quote: 'one character',
  escape: 'one character',
  encoding: `auto or ${ENCODINGS.join(', ')}`,
  header: 'the number of a line',
  comment: 'one character',
  sheet: 'the name of a sheet',
  records: 'a JSON pointer such as /data/items',
};

/** How the file is to be read; UsageError naming every flag that can't be understood. */
export function formatOf(flags: FormatFlags): Format {
  const { delimiter, quote, header, comment, sheet, records } = flags;
  const encoding = flags.encoding.toLowerCase();
  const format = formatSchema.safeParse({
    delimiter,
    quote,
    escape: flags.escape,
    encoding,
    header,
    comment,
    sheet,
    records,
  });
  if (format.success) return format.data;
  const wrong = new Set(format.error.issues.map(({ path }) => path[0]));
  const problems = Object.entries(EXPECTED).filter(([flag]) => wrong.has(flag));
  throw new UsageError(
    problems.map(([flag, expected]) => `--${flag} "${givenTo(flags, flag)}": expected ${expected}.`),
  );
}

function givenTo(flags: FormatFlags, flag: string): string {
  return String(new Map(Object.entries(flags)).get(flag));
}

async function previewAll(
  file: string,
  format: Format,
  { json, io }: { readonly json: boolean; readonly io: Io },
) {
  if (!json)
    throw new UsageError('--all prints every row for programs: expected --json beside it, or --rows <n>.');
  const { source } = await surveyFile(file, format);
  sayJson(io, headLine(source));
  for await (const { rows } of readChunks(file, source, format)) {
    for (const row of rows) sayJson(io, rowLine(source, row));
  }
}

function saySample(source: SourceInfo, rows: readonly Row[], io: Io): void {
  sayJson(io, headLine(source));
  for (const row of rows) sayJson(io, rowLine(source, row));
}

function headLine({ encoding, delimiter, quote, columns, ...more }: SourceInfo): string {
  return JSON.stringify({ encoding, delimiter, quote, header: columns, ...more });
}

/** `cells` in header order; a JSON record's values keep their types, and what it doesn't have is null. */
function rowLine(source: SourceInfo, row: Row): string {
  const { row: number, line } = row;
  switch (row.kind) {
    case 'cells':
      return JSON.stringify({ row: number, line, cells: row.cells });
    case 'record': {
      const leaves = flattenRecord(parseRecord(row.text) ?? {});
      return JSON.stringify({
        row: number,
        line,
        cells: source.columns.map((column) => leaves.get(column) ?? null),
      });
    }
    case 'unreadable':
      return JSON.stringify({ row: number, line, issue: row.problem });
    default:
      return row satisfies never;
  }
}
