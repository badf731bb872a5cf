/** `onboard preview`: what the reader sees in a file, before any job is known. */

import type { Format } from '../../config/job-definition.ts';
import { type Io, resultsWritten, say, sayJson, tell, windowOf } from '../../lib/terminal.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { flattenRecord, parseRecord } from '../../model/json-record.ts';
import type { Row } from '../../model/row.ts';
import type { SourceInfo } from '../../model/source.ts';
import { readChunks } from '../../readers/intake/chunks.ts';
import { asShown } from '../../readers/intake/encoding.ts';
import { previewLines } from '../../readers/intake/preview.ts';
import { readSample, surveyFile } from '../../readers/intake/survey.ts';
import { onlyListOf } from '../../runs/check/proposal.ts';
import { sayingWhere } from '../../runs/input.ts';
import { type AddCommand, wholeNumber } from './command.ts';
import { ENCODING, FORMAT, readFormat, SPELLING } from './format-flag.ts';

type Flags = {
  readonly format?: readonly string[];
  readonly encoding?: string;
  readonly all?: boolean;
  readonly json?: boolean;
  readonly rows: number;
};

/** Enough to say how sure the reader is, however few are shown. */
const SAMPLE_ROWS = 100;

export const addPreviewCommand: AddCommand = (program, io, done) => {
  program
    .command('preview')
    .description('Show how a file is understood: encoding, delimiter, header, first rows')
    .argument('<file>', 'a CSV, JSON, NDJSON or Excel file')
    .option('--rows <n>', 'how many rows', wholeNumber(1), 10)
    .option('--all', 'all rows, with --json')
    .option(...FORMAT)
    .option(...ENCODING)
    .option('--json', 'NDJSON: how it is understood, then a line per row')
    .addHelpText(
      'after',
      '\nExamples:\n  onboard preview portfolio.csv\n  onboard preview portfolio.csv --format header=3\n  onboard preview portfolio.csv --all --json',
    )
    .action(async (file: string, flags: Flags) => {
      await sayingWhere(SPELLING, () => preview(file, flags, io));
      done(0);
    });
};

async function preview(file: string, flags: Flags, io: Io): Promise<void> {
  const { format: typed } = readFormat(flags.format, flags.encoding);
  if (flags.all === true && flags.json !== true)
    throw new UsageError('--all prints every row for programs: expected --json beside it, or --rows N.');
  const { only, notes } = await onlyListOf(file, typed).catch(asShown);
  const format = { ...typed, ...only };
  tell(io, ...notes.map((note) => `note: ${note}`));
  if (flags.all === true) return previewAll(file, format, io);
  const { source, rows } = await readSample(file, format, Math.max(flags.rows + 1, SAMPLE_ROWS));
  const width = io.stdout.isTTY === true ? windowOf(io.stdout) : undefined;
  if (flags.json !== true) say(io, ...previewLines(source, rows, flags.rows, width));
  else sayJson(io, headLine(source), ...rows.slice(0, flags.rows).map((row) => rowLine(source, row)));
}

async function previewAll(file: string, format: Format, io: Io): Promise<void> {
  const { source } = await surveyFile(file, format);
  sayJson(io, headLine(source));
  for await (const { rows } of readChunks(file, source, format)) {
    sayJson(io, ...rows.map((row) => rowLine(source, row)));
    if ((await resultsWritten(io)) !== null) return;
  }
}

function headLine({ encoding, delimiter, quote, columns, ...more }: SourceInfo): string {
  return JSON.stringify({ encoding, delimiter, quote, header: columns, ...more });
}

/** `cells` in header order; values of a JSON record keep their types, `null`: it has none there. */
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
