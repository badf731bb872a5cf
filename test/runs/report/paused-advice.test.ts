import { expect, test } from 'vitest';
import { reasonAdvice } from '../../../src/runs/report/advice.ts';
import { nextSteps } from '../../../src/runs/report/next.ts';
import { summarize } from '../../../src/runs/report/summary.ts';
import { sampleRun } from '../../faces/cli/sample-run.ts';

test.each(['permission', 'same-refusal', 'service-hold'] as const)('advice on %s names the run', (reason) => {
  const words = reasonAdvice(reason, { id: 'run-7', operation: 'subclient.create' });
  expect(words).toContain('run-7');
  expect(words).not.toContain('RUN');
});

test('a paused run goes on by its id where an inbox had its file, which lies where nobody put it', () => {
  const paused = { state: 'paused', reason: 'journal', file: '/h/inbox/.processing/r/a.csv' } as const;
  const stepsOf = (registeredVia: 'inbox' | 'user') => {
    const summary = summarize(sampleRun({ ...paused, registeredVia }), new Date());
    return nextSteps(summary, { directory: '/h/reports/r' }).flatMap(({ commands }) => commands);
  };
  const { id } = sampleRun(paused);
  expect(stepsOf('inbox')).toEqual([`onboard resume ${id}`]);
  expect(stepsOf('user')).toEqual([`onboard run subclients-create ${paused.file}`, `onboard resume ${id}`]);
});
