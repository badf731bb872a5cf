import { readEnvironment } from '../config/environment.ts';
import { cautions } from './before-start.ts';
import { type Checked, checkFile } from './check-file.ts';
import type { AddCommand } from './command.ts';
import { type Io, say, tell } from './io.ts';
import { loadInput } from './load-input.ts';

type Flags = { readonly jobFile?: string; readonly json?: boolean };

/** `onboard check`: what `run` would find wrong, without a single call. */
export const addCheckCommand: AddCommand = (program, io, done) => {
  program
    .command('check')
    .description('Parse, map, validate and find duplicate keys, without a single call')
    .argument('[job]', 'name of a job definition in ONBOARD_JOBS')
    .argument('[files...]', 'CSV, JSON or NDJSON files')
    .option('--job-file <file>', 'a job definition from elsewhere, instead of <job>')
    .option('--json', 'print the findings as JSON, a line per file')
    .addHelpText('after', '\nExample:\n  onboard check subclients-create portfolio.csv')
    .action(async (job: string | undefined, files: readonly string[], flags: Flags) =>
      done(await check({ job, files, jobFile: flags.jobFile }, flags, io)),
    );
};

async function check(args: Parameters<typeof loadInput>[1], flags: Flags, io: Io): Promise<number> {
  const env = readEnvironment(io.env);
  const { job, files } = await loadInput(env, args);
  for (const caution of cautions(job, files)) tell(io, `warning: ${caution}`);
  let exitCode = 0;
  for (const facts of files) {
    const checked = await checkFile(job, facts);
    if (checked.invalid > 0) exitCode = 1;
    if (flags.json === true) say(io, JSON.stringify(checked));
    else for (const line of linesOf(checked)) say(io, line);
  }
  return exitCode;
}

function linesOf(checked: Checked): string[] {
  const { issues, issuesTotal, rows, invalid } = checked;
  const shown = issues.map(({ row, line, column, value, expected }) => {
    const where = column === null ? '' : `, column "${column}"`;
    const came = value === null || value === '' ? '' : `, got ${JSON.stringify(value)}`;
    return `  row ${row} (line ${line}${where}): expected ${expected}${came}`;
  });
  const more = issuesTotal > issues.length ? [`  … and ${issuesTotal - issues.length} more`] : [];
  const verdict =
    invalid === 0 ? 'all can be sent' : `${invalid} would be invalid, ${rows - invalid} can be sent`;
  return [`${checked.file}: ${rows} rows, ${verdict}`, ...shown, ...more];
}
