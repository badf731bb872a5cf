import { expect, test } from 'vitest';
import { jobDefinitionJsonSchema } from '../../src/config/job-definition.ts';

test('when the schema is printed, it names itself and asks only for what the definition has no default for', () => {
  const schema = jobDefinitionJsonSchema();
  expect(schema).toMatchObject({
    $id: 'urn:onboard:job-definition',
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'onboard job definition',
    type: 'object',
    required: ['operation'],
    additionalProperties: false,
  });
});
