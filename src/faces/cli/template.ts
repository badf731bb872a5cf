/** `onboard template` and `onboard schema`: what to start from. */

import { readEnvironment } from '../../config/environment.ts';
import { jobDefinitionJsonSchema } from '../../config/job-definition.ts';
import { loadJob, loadJobFile } from '../../config/load-job.ts';
import { sayContent, sayJson } from '../../lib/terminal.ts';
import { templateFile } from '../../runs/check/template.ts';
import type { AddCommand } from './command.ts';

type Flags = { readonly jobFile?: string; readonly json?: boolean };

const HELP = `
A header in the form that the job reads, and an example row that passes onboard check: the key, the fields that the job \
names or requires, then the usual ones, which the shipped samples have. As JSON: a list of one nested object, or one \
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

export const addSchemaCommand: AddCommand = (program, io, done) => {
  program
    .command('schema')
    .description('Print the JSON Schema of a job definition, for editors')
    .addHelpText(
      'after',
      '\nExample:\n  onboard schema > job.schema.json\n' +
        '  and in a definition: # yaml-language-server: $schema=../job.schema.json',
    )
    .action(() => {
      sayJson(io, ...JSON.stringify(jobDefinitionJsonSchema(), null, 2).split('\n'));
      done(0);
    });
};
