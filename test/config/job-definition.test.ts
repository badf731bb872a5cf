import { expect, test } from 'vitest';
import { jobDefinitionJsonSchema, jobsBefore } from '../../src/config/job-definition.ts';

test.each([
  [undefined, []],
  ['subclients', ['subclients']],
  [
    ['subclients', 'payees'],
    ['subclients', 'payees'],
  ],
])('after %j: the jobs before are %j', (after, jobs) => {
  expect(jobsBefore({ after })).toEqual(jobs);
});

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
