/** `onboard check`: what `run` would find wrong, without a single call. */

import { Option } from 'commander';
import type { Job } from '../../config/job-definition.ts';
import { type Io, say, sayJson, tell } from '../../lib/terminal.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { EXIT } from '../../model/exit.ts';
import { createChecker, openReading } from '../../runs/check/file.ts';
import type { Checked } from '../../runs/check/findings.ts';
import { openLook } from '../../runs/check/ledger.ts';
import { LISTED, type Listed } from '../../runs/check/plan.ts';
import { checkLines } from '../../runs/check/words.ts';
import { deliveredFrom } from '../../runs/inbox/job-book.ts';
import { cautions, type InputArguments, loadNamed, noRowsWords, sayingWhere } from '../../runs/input.ts';
import { withCommand } from '../../session.ts';
import type { AddCommand } from './command.ts';

type Flags = {
  readonly jobFile?: string;
  readonly sandbox?: boolean;
  readonly list?: Listed;
  readonly json?: boolean;
};

export const addCheckCommand: AddCommand = (program, io, done) => {
  program
    .command('check')
    .description('Parse, map, validate, find duplicate and known keys, without calling the service')
    .argument('[job]', 'name of a job definition in ONBOARD_JOBS')
    .argument('[files...]', 'CSV, JSON, NDJSON or Excel (.xlsx) files')
    .option('--job-file <file>', 'a job definition from elsewhere, instead of <job>')
    .option('--sandbox', "look for known keys in the ledger of the rehearsals instead of MSB_BASE_URL's")
    .addOption(new Option('--list <what>', 'name the records of the plan that are so').choices(LISTED))
    .option('--json', 'print the findings as JSON, a line per file')
    .addHelpText('after', '\nExample:\n  onboard check subclients-create portfolio.csv')
    .action(async (job: string | undefined, files: readonly string[], flags: Flags) =>
      done(await check({ job, files, jobFile: flags.jobFile, command: 'check' }, flags, io)),
    );
};

async function check(args: InputArguments, flags: Flags, io: Io): Promise<number> {
  return withCommand(io, async ({ env, ...parts }) => {
    const { job, paths } = await loadNamed(env, args);
    refuseGone(job, flags);
    for (const caution of cautions(job, [])) tell(io, `warning: ${caution}`);
    const look = await openLook(env, flags.sandbox === true, parts);
    const checkFile = createChecker(job, look, flags.list ?? null);
    let exitCode: number = EXIT.success;
    let sendable = 0;
    for (const path of paths) {
      const folder = deliveredFrom(path, job, env.home);
      const read = async () => checkFile({ ...(await openReading(path, job)), folder });
      const checked = await sayingWhere(job, read);
      tellChecked(checked, job, flags, io);
      if (checked.invalid > 0) exitCode = EXIT.unsuccessful;
      sendable += checked.sendable;
    }
    const rehearsal = env.baseUrl === null && flags.sandbox !== true ? ' --sandbox' : '';
    if (sendable > 0 && flags.json !== true)
      say(
        io,
        `To send what can be sent: ${io.typed.replace(' check ', ' run ').replace(/ --list[ =]\S+/, '')}${rehearsal}`,
      );
    return exitCode;
  });
}

function refuseGone({ definition: { delivery, key } }: Job, { list }: Flags): void {
  const isFull = delivery === 'full' && key !== undefined;
  if (list !== 'gone' || isFull) return;
  throw new UsageError(
    '--list gone: expected a job with a key and `delivery: full`, ' +
      'whose files have all records; of others nobody can say what is gone.',
  );
}

function tellChecked(checked: Checked, { definition }: Job, flags: Flags, io: Io): void {
  if (checked.rows === 0) tell(io, `warning: ${noRowsWords(checked.file)}`);
  if (flags.json === true) sayJson(io, JSON.stringify(checked));
  else say(io, ...checkLines(checked, definition));
}
