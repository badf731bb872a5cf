/** `onboard check`: what `run` would find wrong, without a single call. */

import { Option } from 'commander';
import type { Environment } from '../../config/environment.ts';
import { type Job, jobsBefore } from '../../config/job-definition.ts';
import { type Io, say, sayJson, shellWord, tell } from '../../lib/terminal.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { EXIT } from '../../model/exit.ts';
import { createChecker, openReading } from '../../runs/check/file.ts';
import type { Checked } from '../../runs/check/findings.ts';
import { type Look, openLook } from '../../runs/check/ledger.ts';
import { LISTED, type Listed } from '../../runs/check/plan.ts';
import { createFates, definitionDigest, writePlan } from '../../runs/check/plan-file.ts';
import { checkLines } from '../../runs/check/words.ts';
import { deliveredFrom } from '../../runs/inbox/job-book.ts';
import { cautions, type InputArguments, loadNamed, noRowsWords, sayingWhere } from '../../runs/input.ts';
import { waitingWords } from '../../runs/register.ts';
import { withCommand } from '../../session.ts';
import { type AddCommand, refuseSeveral } from './command.ts';

type Flags = {
  readonly jobFile?: string;
  readonly sandbox?: boolean;
  readonly list?: Listed;
  readonly json?: boolean;
  readonly out?: string;
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
    .option('--out <file>', 'write the plan to this new file, for `onboard run --plan`')
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
    await tellBefore(job, look, io);
    if (flags.out !== undefined) refuseSeveral('--out', paths);
    const { ranges, see } = createFates();
    const checkFile = createChecker(job, look, { listed: flags.list ?? null, see });
    let exitCode: number = EXIT.success;
    let sendable = 0;
    let isLoaded = false;
    for (const path of paths) {
      const folder = deliveredFrom(path, job, env.home);
      const reading = await sayingWhere(job, () => openReading(path, job));
      const checked = await sayingWhere(job, () => checkFile({ ...reading, folder }));
      tellChecked(checked, job, flags, io);
      await keepPlan(flags, { job, look, reading, checked, fates: ranges });
      if (checked.invalid > 0) exitCode = EXIT.unsuccessful;
      sendable += checked.sendable;
      const state = checked.earlierRun?.state;
      isLoaded ||= state === 'finished' || state === 'cancelled';
    }
    if (sendable > 0 && flags.json !== true) say(io, sendingWords(io.typed, flags, env, isLoaded));
    return exitCode;
  });
}

async function tellBefore({ definition }: Job, look: Look, io: Io): Promise<void> {
  const before = look.kind === 'none' ? [] : await look.openRuns(jobsBefore(definition));
  for (const shown of before) tell(io, ...waitingWords(shown, '`onboard run` will wait for'));
}

type Kept = {
  readonly job: Job;
  readonly look: Look;
  readonly reading: { readonly sha256: string };
  readonly checked: Checked;
  readonly fates: ReturnType<typeof createFates>['ranges'];
};

/** A run of the file would have to find it so. */
async function keepPlan({ out }: Flags, { job, look, reading, checked, fates }: Kept): Promise<void> {
  if (out === undefined) return;
  if (look.kind === 'none') throw new UsageError(`--out: a plan is for a ledger, and ${look.reason}`);
  const { rows, sendable, waiting, skipped, invalid, earlierRun } = checked;
  if (earlierRun !== null)
    throw new UsageError(
      `--out: a plan is for a file that has no run yet, and run ${earlierRun.run} has this one.`,
    );
  const facts = {
    job: job.name,
    target: look.target,
    sha256: reading.sha256,
    definition: definitionDigest(job),
    at: new Date().toISOString(),
    counts: { rows, sendable, waiting, skipped, invalid },
    fates,
  };
  await writePlan(out, facts, look.sealing.digest);
}

/** `isLoaded`: nothing of the file is sent unless that is asked for. */
function sendingWords(
  typed: string,
  { out, sandbox }: Flags,
  { baseUrl }: Environment,
  isLoaded: boolean,
): string {
  const run = typed.replace(' check ', ' run ').replaceAll(/ --(?:list|out)[ =]\S+/g, '');
  const rehearsal = baseUrl === null && sandbox !== true ? ' --sandbox' : '';
  const plan = out === undefined ? '' : ` --plan ${shellWord(out)}`;
  const again = isLoaded ? ' --again' : '';
  return `To send what can be sent: ${run}${again}${rehearsal}${plan}`;
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
