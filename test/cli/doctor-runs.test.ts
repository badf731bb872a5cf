import { expect, test } from 'vitest';
import { judgeRuns } from '../../src/cli/doctor-runs.ts';
import { noOutcomes } from '../../src/model/outcome.ts';
import { sampleRun } from './sample-run.ts';

const left = (over: Parameters<typeof sampleRun>[0], command = 'onboard resume r') => ({
  run: sampleRun(over),
  command,
});

test('runs that were left, paused or stopped are a warning with the commands that go on', () => {
  expect(
    judgeRuns([left({}), left({ state: 'paused', reason: 'requested' }, 'onboard resume p')]),
  ).toMatchObject({
    status: 'warning',
    finding: '2 unfinished runs: 1 left by a process that is gone, 1 paused or stopped',
    advice: 'To go on: `onboard resume r`, `onboard resume p`',
  });
});

test('a stopped run of which every row has its outcome is none', () => {
  const outcomes = { ...noOutcomes(), created: 10 };
  expect(judgeRuns([left({ state: 'stopped', outcomes })]).status).toBe('ok');
});
