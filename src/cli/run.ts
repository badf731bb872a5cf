import { passesCheck } from '../check/file.ts';
import { readEnvironment } from '../config/environment.ts';
import { jobsBefore } from '../config/job-definition.ts';
import { createReleasers } from '../lib/releasers.ts';
import { type Io, tell } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { FileFacts } from '../model/source.ts';
import { cautions, prepareHome } from '../runs/before-start.ts';
import { type InputArguments, loadInput } from '../runs/load-input.ts';
import { type FileDesk, runFile } from '../runs/run-file.ts';
import { startSandboxChild } from '../runs/sandbox-child.ts';
import { waitForJobs } from '../runs/wait-for-jobs.ts';
import { openLedger } from '../session.ts';
import { type AddCommand, collect } from './command.ts';
import { openDesk, serviceReady } from './open-desk.ts';
import { openLog } from './open-log.ts';
import { ACCEPT_REDIS_SETTINGS } from './redis-settings.ts';

const INTERRUPTED_EXIT = 4;

type Flags = {
  readonly jobFile?: string;
  readonly sandbox?: boolean;
  readonly fault: readonly string[];
  readonly again?: boolean;
  readonly checkFirst?: boolean;
  readonly acceptRedisSettings?: boolean;
  readonly logFile?: string;
  readonly json?: boolean;
};

/** `onboard run`: files taken to their end in this process. */
export const addRunCommand: AddCommand = (program, io, done) => {
  program
    .command('run')
    .description('Take one file, or several in order, through a job to the end')
    .argument('[job]', 'name of a job definition in ONBOARD_JOBS')
    .argument('[files...]', 'CSV, JSON, NDJSON or Excel (.xlsx) files')
    .option('--job-file <file>', 'a job definition from elsewhere, instead of <job>')
    .option('--sandbox', 'send to the built-in stand-in instead of MSB_BASE_URL: a rehearsal')
    .option('--fault <name=spec>', 'with --sandbox: a fault on request, as in `onboard sandbox`', collect, [])
    .option('--again', 'a new run, also where this file was already taken to its end')
    .option('--check-first', 'begin nothing where a row of any file would be invalid: `onboard check` first')
    .option(...ACCEPT_REDIS_SETTINGS)
    .option('--log-file <file>', 'write the log there')
    .option('--json', 'print the summary as JSON, a line per file')
    .addHelpText('after', EXAMPLE)
    .action(async (job: string | undefined, files: readonly string[], flags: Flags) =>
      done(
        await runFiles({ job, files, jobFile: flags.jobFile, command: 'run', typed: io.typed }, flags, io),
      ),
    );
};

async function runFiles(args: InputArguments, flags: Flags, io: Io): Promise<number> {
  const releasers = createReleasers();
  try {
    const env = readEnvironment(io.env);
    const log = openLog(env, io, flags.logFile);
    if (flags.fault.length > 0 && flags.sandbox !== true) {
      throw new UsageError(
        '--fault is for the stand-in: expected --sandbox beside it, or the real service would be used.',
      );
    }
    const input = await loadInput(env, args);
    for (const caution of cautions(input.job, input.files)) tell(io, `warning: ${caution}`);
    const outside = flags.sandbox === true ? null : await serviceReady(env, io);
    const isNew = await prepareHome(env);
    const service = outside ?? (await startSandboxChild(env.home, flags.fault, releasers));
    const ledger = await openLedger(env, log, releasers);
    // A Redis of the user's own may know of runs from elsewhere.
    if (isNew && env.redis === null)
      tell(io, `A new ledger begins in ${env.home}: it knows of no earlier run.`);
    const ground = { env, io, log, ledger, releasers };
    if (flags.checkFirst === true && !(await passesCheck(input, { ...ground, target: service.target })))
      return interrupted(io);
    const desk = await openDesk(ground, service, flags);
    return await runInOrder(input.files, { ...desk, job: input.job, again: flags.again === true });
  } finally {
    await releasers.release();
  }
}

/** A file whose run does not finish ends the order: what follows may build on it. */
async function runInOrder(files: readonly FileFacts[], desk: FileDesk): Promise<number> {
  let worst = 0;
  for (const facts of files) {
    if (!(await waitForJobs(jobsBefore(desk.job.definition), { ...desk, target: desk.service.target })))
      return interrupted(desk.io);
    const exitCode = await runFile(facts, desk);
    if (exitCode >= 2 && exitCode <= 4) return exitCode;
    worst = Math.max(worst, exitCode);
  }
  return worst;
}

function interrupted(io: Io): number {
  tell(io, `Interrupted before the run was begun: nothing is sent.\nTo go on: ${io.typed}`);
  return INTERRUPTED_EXIT;
}

const EXAMPLE = `
Examples:
  onboard run subclients-create portfolio.csv
  onboard run --job-file partner-x.yaml march.csv april.csv --json
  onboard run subclients-create portfolio.csv --check-first
  onboard run counterparty-drafts payees.json --sandbox --fault 429=5%

The same file again goes on with an unfinished run; after a finished one nothing is sent, unless --again.`;
