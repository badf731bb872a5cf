import { expect, test } from 'vitest';
import { messageOf } from '../../src/model/sentence.ts';

test('a value that looks like the name of another one stands as it is', () => {
  const values = { key: '{run}', run: 'run-1' };
  const message = 'row of run {run} has {key}, and {nobody} has it';
  expect(messageOf({ message, values, issues: [] })).toBe('row of run run-1 has {run}, and {nobody} has it');
});
