/** `onboard schema`: what an editor needs to complete and check job definitions. */
import { jobDefinitionJsonSchema, listSettings, renderSettings } from '../config/job-settings.js';
import { say } from '../lib/terminal.js';
export const addSchemaCommand = (program, io, done) => {
    program
        .command('schema')
        .description('Print the JSON Schema of a job definition, for editors')
        .option('--table', 'every setting in a Markdown table instead, for people')
        .addHelpText('after', '\nExample:\n  onboard schema > job.schema.json\n' +
        '  and in a definition: # yaml-language-server: $schema=../job.schema.json')
        .action(({ table = false }) => {
        const schema = () => JSON.stringify(jobDefinitionJsonSchema(), null, 2);
        say(io, ...(table ? renderSettings(listSettings()) : schema()).split('\n'));
        done(0);
    });
};
//# sourceMappingURL=schema.js.map