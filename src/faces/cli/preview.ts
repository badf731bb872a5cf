/** `onboard preview`: what the reader sees in a file, before any job is known. */

import type { Format } from '../../config/job-definition.ts';
import { type Io, resultsWritten, say, sayJson, tell, windowOf } from '../../lib/terminal.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { EXIT } from '../../model/exit.ts';
import { flattenRecord, parseRecord } from '../../model/json-record.ts';
import type { Row } from '../../model/row.ts';
import type { SourceInfo } from '../../model/source.ts';
import { readChunks } from '../../readers/intake/chunks.ts';
import { asShown } from '../../readers/intake/encoding.ts';
import { previewLines, wholeLines } from '../../readers/intake/preview.ts';
import { openBeginning, readSample, type Sample, surveyFile } from '../../readers/intake/survey.ts';
import { onlyListOf } from '../../runs/check/proposal.ts';
import { sayingWhere } from '../../runs/input.ts';
import { type AddCommand, wholeNumber } from './command.ts';
import { ENCODING, FORMAT, readFormat, SPELLING } from './format-flag.ts';

type Flags = {
  readonly format?: readonly string[];
  readonly encoding?: string;
  readonly all?: boolean;
  readonly scan: boolean;
  readonly json?: boolean;
  readonly rows: number;
};

/** Enough to say how sure the reader is, however few are shown. */
const SAMPLE_ROWS = 100;

export const addPreviewCommand: AddCommand = (program, io, done) => {
  program
    .command('preview')
    .description('Show how a file is understood: encoding, delimiter, header, first rows; then read it whole')
    .argument('<file>', 'a CSV, JSON, NDJSON or Excel file')
    .option('--rows <n>', 'how many rows', wholeNumber(1), 10)
    .option('--all', 'all rows, with --json')
    .option('--no-scan', 'only what the beginning of the file shows')
    .option(...FORMAT)
    .option(...ENCODING)
    .option('--json', 'NDJSON: how it is understood, then a line per row')
    .addHelpText(
      'after',
      '\nExamples:\n  onboard preview portfolio.csv\n  onboard preview portfolio.csv --no-scan\n  onboard preview portfolio.csv --format header=3\n  onboard preview portfolio.csv --all --json',
    )
    .action(async (file: string, flags: Flags) => {
      const shown = { isBeginning: false };
      await sayingWhere(SPELLING, () => preview(file, flags, io, shown)).catch((error: unknown) => {
        throw shown.isBeginning ? refuting(error) : error;
      });
      done(io.interrupted.aborted ? EXIT.interrupted : EXIT.success);
    });
};

/** The last line says that the first ones were of the beginning alone. */
function refuting(error: unknown): unknown {
  if (!(error instanceof UsageError)) return error;
  return new UsageError([...error.problems, REFUTED], { cause: error });
}

const REFUTED =
  'What stands above is true of the beginning of the file alone: as a whole it can not be read so.';

async function preview(file: string, flags: Flags, io: Io, shown: { isBeginning: boolean }): Promise<void> {
  const { format: typed } = readFormat(flags.format, flags.encoding);
  if (flags.all === true && flags.json !== true)
    throw new UsageError('--all prints every row for programs: expected --json beside it, or --rows N.');
  if (flags.all === true && !flags.scan)
    throw new UsageError('--no-scan reads the beginning alone: expected it without --all.');
  const { only, notes } = await onlyListOf(file, typed).catch(asShown);
  const format = { ...typed, ...only };
  tell(io, ...notes.map((note) => `note: ${note}`));
  if (flags.all === true) return previewAll(file, format, io);
  const sampled = Math.max(flags.rows + 1, SAMPLE_ROWS);
  if (flags.json === true) return previewJson(file, format, { ...flags, sampled }, io);
  const beginning = await openBeginning(file, format, sampled);
  const { source, rows, isWhole } = beginning;
  try {
    const width = io.stdout.isTTY === true ? windowOf(io.stdout) : undefined;
    say(io, ...previewLines(source, rows, flags.rows, width), '');
    shown.isBeginning = true;
    if (!flags.scan && !isWhole) return say(io, NOT_READ);
    if (!isWhole) say(io, SO_FAR);
    const whole = await beginning.rest(io.interrupted);
    say(io, ...(whole === null ? [NOT_READ] : wholeLines(source, whole)));
  } finally {
    await beginning.close();
  }
}

const SO_FAR = 'So far, from the beginning of the file; it is read to its end now.';
const NOT_READ = 'Not read to the end: this is what the beginning of the file shows.';

type JsonFlags = Pick<Flags, 'rows' | 'scan'> & { readonly sampled: number };

async function previewJson(file: string, format: Format, flags: JsonFlags, io: Io): Promise<void> {
  const { source, rows } = await sampleOf(file, format, flags);
  sayJson(io, headLine(source), ...rows.slice(0, flags.rows).map((row) => rowLine(source, row)));
}

async function sampleOf(file: string, format: Format, { scan, sampled }: JsonFlags): Promise<Sample> {
  if (scan) return readSample(file, format, sampled);
  const beginning = await openBeginning(file, format, sampled);
  await beginning.close();
  return beginning;
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
