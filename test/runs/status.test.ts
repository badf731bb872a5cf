import { expect, test } from 'vitest';
import { worse } from '../../src/model/exit.ts';
import { noOutcomes } from '../../src/model/outcome.ts';
import { goingOnWith, stateOf } from '../../src/runs/status.ts';
import { sampleRun } from '../faces/cli/sample-run.ts';

test.each([
  ['running', null, true, 'running', 'alive'],
  ['queued', null, true, 'queued', 'alive'],
  ['running', null, false, 'running, owner gone', 'gone'],
  ['queued', null, false, 'queued, owner gone', 'gone'],
  ['paused', 'credentials', false, 'paused (credentials)', 'none'],
  ['stopped', 'error-limit', false, 'stopped (error-limit)', 'none'],
  ['finished', null, false, 'finished', 'none'],
  ['cancelled', null, true, 'cancelled, winding up', 'alive'],
  ['cancelled', null, false, 'cancelled, owner gone', 'gone'],
  // Its reader is about to leave it.
  ['paused', 'interrupted', true, 'paused (interrupted)', 'none'],
  // Its reader waits for the window to open.
  ['paused', 'window', true, 'paused (window)', 'alive'],
  ['paused', 'window', false, 'paused (window)', 'none'],
] as const)('%s (%s), lease held: %s: "%s", owner %s', (state, reason, leased, words, owner) => {
  expect(stateOf(sampleRun({ state, reason }), leased)).toEqual({ words, owner });
});

test('a cancelled run of which every row has its outcome is just cancelled', () => {
  const run = sampleRun({ state: 'cancelled', outcomes: { ...noOutcomes(), cancelled: 10 } });
  expect(stateOf(run, false)).toEqual({ words: 'cancelled', owner: 'none' });
});

test.each([
  ['running', 'alive', null],
  ['running', 'gone', 'onboard resume run-1'],
  ['queued', 'gone', 'onboard resume run-1'],
  ['paused', 'none', 'onboard resume run-1'],
  ['paused', 'alive', null],
  ['stopped', 'none', 'onboard resume run-1'],
  ['cancelled', 'gone', 'onboard cancel run-1'],
  ['cancelled', 'none', null],
  ['finished', 'none', null],
] as const)('what is to be done about a run that is %s, owner %s: %s', (state, owner, command) => {
  expect(goingOnWith({ id: 'run-1', state, reason: null }, { words: '', owner })).toBe(command);
});

test.each([
  [0, 1, 1],
  [1, 5, 5],
  [5, 2, 2],
  [2, 3, 3],
  [3, 0, 3],
])('of the exit statuses %i and %i the worse is %i', (a, b, expected) => {
  expect([worse(a, b), worse(b, a)]).toEqual([expected, expected]);
});
