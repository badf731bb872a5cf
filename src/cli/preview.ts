import { type Format, formatSchema } from '../config/job-definition.ts';
import { previewLines } from '../intake/preview.ts';
import { readChunks } from '../intake/read-chunks.ts';
import { readSample } from '../intake/read-sample.ts';
import { surveyFile } from '../intake/survey.ts';
import { UsageError } from '../lib/usage-error.ts';
import { parseRecord } from '../mapping/parse-record.ts';
import { flattenRecord } from '../model/flatten-record.ts';
import type { Row } from '../model/row.ts';
import type { SourceInfo } from '../model/source.ts';
import { wholeNumber } from './arguments.ts';
import type { AddCommand } from './command.ts';
import { type Io, say } from './io.ts';

type Flags = {
  readonly all?: boolean;
  readonly json?: boolean;
  readonly rows: number;
  readonly delimiter: string;
};

const CHUNK_ROWS = 500;

/** `onboard preview <file>`: what the reader sees. */
export const addPreviewCommand: AddCommand = (program, io, done) => {
  program
    .command('preview')
    .description('Show how a file is understood: encoding, delimiter, header, first rows')
    .argument('<file>', 'a CSV, JSON or NDJSON file')
    .option('--rows <n>', 'how many rows', wholeNumber, 10)
    .option('--all', 'all rows, with --json')
    .option('--delimiter <sign>', 'instead of finding it', 'auto')
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
  const format = formatOf(flags.delimiter);
  if (flags.all === true) return previewAll(file, format, { json: flags.json === true, io });
  const { source, rows } = await readSample(file, format, flags.rows);
  if (flags.json === true) sayJson(source, rows, io);
  else for (const line of previewLines(source, rows)) say(io, line);
}

async function previewAll(
  file: string,
  format: Format,
  { json, io }: { readonly json: boolean; readonly io: Io },
) {
  if (!json)
    throw new UsageError('--all prints every row for programs: expected --json beside it, or --rows <n>.');
  const { source } = await surveyFile(file, format);
  say(io, headLine(source));
  for await (const { rows } of readChunks(file, source, format, CHUNK_ROWS)) {
    for (const row of rows) say(io, rowLine(source, row));
  }
}

function sayJson(source: SourceInfo, rows: readonly Row[], io: Io): void {
  say(io, headLine(source));
  for (const row of rows) say(io, rowLine(source, row));
}

function formatOf(delimiter: string): Format {
  const format = formatSchema.safeParse({ delimiter });
  if (format.success) return format.data;
  throw new UsageError(`--delimiter "${delimiter}": expected one character, \\t for a tab, or auto.`);
}

function headLine({ encoding, delimiter, quote, columns, type }: SourceInfo): string {
  return JSON.stringify({ encoding, delimiter, quote, header: columns, type });
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
