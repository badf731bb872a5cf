/** `onboard template <job>`: a file to start from, as CSV, JSON or an Excel workbook. */
import { templateFile } from '../check/template.ts';
import { readEnvironment } from '../config/environment.ts';
import type { Job } from '../config/job-definition.ts';
import { loadJob, loadJobFile } from '../config/load-job.ts';
import { type Io, say, sayContent, shellWord } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import { type AddCommand, writeNewFile } from './command.ts';

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

async function giveTemplate(job: Job, flags: Flags, io: Io): Promise<void> {
  refuseForm(flags);
  const asked = flags.xlsx === true ? 'xlsx' : flags.json === true ? 'json' : null;
  const { form, content } = await templateFile(job, { all: flags.all, form: asked });
  if (form === 'xlsx') refuseToPrint(flags);
  if (flags.out === undefined) {
    sayContent(io, content);
    return;
  }
  await writeNewFile(flags.out, content);
  const named = flags.jobFile === undefined ? shellWord(job.name) : `--job-file ${shellWord(flags.jobFile)}`;
  say(io, `${flags.out} written. Fill it in, then: onboard check ${named} ${shellWord(flags.out)}`);
}

function refuseForm({ json, xlsx }: Flags): void {
  if (json === true && xlsx === true)
    throw new UsageError('--json and --xlsx: expected one of them; leave one out');
}

function refuseToPrint({ out }: Flags): void {
  if (out?.toLowerCase().endsWith('.xlsx') === true) return;
  throw new UsageError(
    'a workbook can not be printed: expected --out with a file name that ends in .xlsx, for example --out template.xlsx',
  );
}
