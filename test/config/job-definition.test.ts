import { expect, test } from 'vitest';
import { jobDefinitionSchema, jobsBefore, weightOf } from '../../src/config/job-definition.ts';

test.each([
  ['low', 1],
  ['normal', 4],
  ['high', 16],
])('a job of %s priority weighs %i', (priority, weight) => {
  expect(weightOf(jobDefinitionSchema.parse({ operation: 'subclient.create', priority }))).toBe(weight);
});

test('a job that says nothing is of normal priority, as is one from before there was the setting', () => {
  const definition = jobDefinitionSchema.parse({ operation: 'subclient.create' });
  expect([definition.priority, weightOf(definition)]).toEqual(['normal', 4]);
});

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
