/** `onboard schema`: what an editor needs to complete and check job definitions. */
import { jobDefinitionJsonSchema } from '../config/job-definition.ts';
import { sayJson } from '../lib/terminal.ts';
import type { AddCommand } from './command.ts';

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
