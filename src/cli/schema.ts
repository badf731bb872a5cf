/** `onboard schema`: what an editor needs to complete and check job definitions. */
import { jobDefinitionJsonSchema, listSettings, renderSettings } from '../config/job-settings.ts';
import { say, sayJson } from '../lib/terminal.ts';
import type { AddCommand } from './command.ts';

export const addSchemaCommand: AddCommand = (program, io, done) => {
  program
    .command('schema')
    .description('Print the JSON Schema of a job definition, for editors')
    .option('--table', 'every setting in a Markdown table instead, for people')
    .addHelpText(
      'after',
      '\nExample:\n  onboard schema > job.schema.json\n' +
        '  and in a definition: # yaml-language-server: $schema=../job.schema.json',
    )
    .action(({ table = false }: { readonly table?: boolean }) => {
      if (table) say(io, ...renderSettings(listSettings()).split('\n'));
      else sayJson(io, ...JSON.stringify(jobDefinitionJsonSchema(), null, 2).split('\n'));
      done(0);
    });
};
