import { expect, test } from 'vitest';
import { stateOf } from '../../src/cli/run-state.ts';
import { sampleRun } from './sample-run.ts';

test.each([
  ['running', null, true, 'running', 'alive'],
  ['queued', null, true, 'queued', 'alive'],
  ['running', null, false, 'running, owner gone', 'gone'],
  ['queued', null, false, 'queued, owner gone', 'gone'],
  ['paused', 'credentials', false, 'paused (credentials)', 'none'],
  ['stopped', 'error-limit', false, 'stopped (error-limit)', 'none'],
  ['finished', null, false, 'finished', 'none'],
  ['cancelled', null, false, 'cancelled', 'none'],
  // Its reader is about to leave it.
  ['paused', 'interrupted', true, 'paused (interrupted)', 'none'],
] as const)('%s (%s), lease held: %s: "%s", owner %s', (state, reason, leased, words, owner) => {
  expect(stateOf(sampleRun({ state, reason }), leased)).toEqual({ words, owner });
});
