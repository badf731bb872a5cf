import { z } from 'zod';
import { jobDefinitionSchema } from './job-definition.ts';

/** The JSON Schema of a job definition as it is written, for editors; draft 7 is what their YAML support reads. */
export function jobDefinitionJsonSchema(): z.core.JSONSchema.BaseSchema {
  return {
    $id: 'urn:onboard:job-definition',
    title: 'onboard job definition',
    description:
      'Which operation to call for each row of a file, how columns become fields, and how to send.',
    ...z.toJSONSchema(jobDefinitionSchema, { io: 'input', target: 'draft-07' }),
  };
}
