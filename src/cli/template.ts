/** `onboard template <job>`: a file to start from, as CSV or JSON. */
import { templateFile } from '../check/template.ts';
import { readEnvironment } from '../config/environment.ts';
import { loadJob, loadJobFile } from '../config/load-job.ts';
import { sayContent } from '../lib/terminal.ts';
import type { AddCommand } from './command.ts';

type Flags = { readonly jobFile?: string; readonly json?: boolean };

const HELP = `
A header in the form that the job reads, and an example row that passes onboard check: the key, the fields that the job
names or requires, then the usual ones, which the shipped samples have. As JSON: a list of one nested object, or one
object per line where the job says format.type: ndjson.

Examples:
  onboard template counterparty-drafts > payees.csv
  onboard template counterparty-drafts --json > payees.json`;

export const addTemplateCommand: AddCommand = (program, io, done) => {
  program
    .command('template')
    .description('Print a header line and an example row for a job')
    .argument('[job]', 'name of a job definition in ONBOARD_JOBS')
    .option('--job-file <file>', 'a job definition from elsewhere')
    .option('--json', 'as JSON')
    .addHelpText('after', HELP)
    .action(async (name: string | undefined, { jobFile, json = false }: Flags) => {
      const { jobsDirectory } = readEnvironment(io.env);
      const job =
        jobFile === undefined ? await loadJob(name ?? '', jobsDirectory) : await loadJobFile(jobFile);
      sayContent(io, templateFile(job, { json }).content);
      done(0);
    });
};
