import { expect, test } from 'vitest';
import { messageOf } from '../../src/model/sentence.ts';

test('of a row in doubt it is said when it was sent, under which id of the service, and what was looked up', () => {
  const message = 'No answer came in time.';
  const values = { sentAt: '2026-11-21T10:20:03Z', requestId: 'r-1', lookedUp: '2026-11-21: not found' };
  expect(messageOf({ message, values, issues: [] })).toBe(
    'No answer came in time; sent at 2026-11-21T10:20:03Z; request id r-1; looked up at 2026-11-21: not found',
  );
});

test('a value that looks like the name of another one stands as it is', () => {
  const values = { key: '{run}', run: 'run-1' };
  const message = 'row of run {run} has {key}, and {nobody} has it';
  expect(messageOf({ message, values, issues: [] })).toBe('row of run run-1 has {run}, and {nobody} has it');
});
