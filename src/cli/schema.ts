import { jobDefinitionJsonSchema } from '../config/job-json-schema.ts';
import type { AddCommand } from './command.ts';
import { say } from './io.ts';

/** `onboard schema`: what an editor needs to complete and check job definitions. */
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
      say(io, JSON.stringify(jobDefinitionJsonSchema(), null, 2));
      done(0);
    });
};
