import { readEnvironment } from '../config/environment.ts';
import { loadJob, loadJobFile } from '../config/load-job.ts';
import { templateOf } from '../mapping/template.ts';
import { csvText } from '../report/csv-text.ts';
import { fieldCatalog } from '../service/field-catalog.ts';
import { pathFieldOf } from '../service/operations.ts';
import type { AddCommand } from './command.ts';
import { type Io, say } from './io.ts';

type Flags = { readonly jobFile?: string; readonly json?: boolean };

/** `onboard template <job>`: a file to start from. */
export const addTemplateCommand: AddCommand = (program, io, done) => {
  program
    .command('template')
    .description('Print a header line and an example row for a job')
    .argument('[job]', 'name of a job definition in ONBOARD_JOBS', '')
    .option('--job-file <file>', 'a job definition from elsewhere')
    .option('--json', 'as a JSON array')
    .addHelpText('after', '\nExample:\n  onboard template counterparty-drafts > payees.csv')
    .action(async (job: string, flags: Flags) => {
      await printTemplate(job, flags, io);
      done(0);
    });
};

async function printTemplate(name: string, flags: Flags, io: Io): Promise<void> {
  const env = readEnvironment(io.env);
  const { definition } =
    flags.jobFile === undefined ? await loadJob(name, env.jobsDirectory) : await loadJobFile(flags.jobFile);
  const columns = templateOf(
    fieldCatalog(definition.operation),
    definition,
    pathFieldOf(definition.operation),
  );
  if (flags.json === true) say(io, JSON.stringify([Object.fromEntries(columns)], null, 2));
  else {
    const { delimiter, quote } = definition.format;
    const dialect = { delimiter: delimiter === 'auto' ? ',' : delimiter === '\\t' ? '\t' : delimiter, quote };
    io.stdout.write(
      csvText([columns.map(([header]) => header), columns.map(([, example]) => example)], dialect),
    );
  }
}
