import { expect, test } from 'vitest';
import { startFlow, subclientsCsv } from '../support/flow.ts';
import { summaryFrom } from '../support/run-control.ts';

test('the first large run of a job sends five rows first, and stops where the service knows no such address', async () => {
  const flow = await startFlow();
  const file = await flow.file('rows.csv', subclientsCsv(60));
  const astray = { MSB_BASE_URL: `${flow.sandbox.url}/astray` };

  const stopped = await flow.run(['subclients-create', file], astray);
  expect([stopped.exitCode, stopped.summary.state, stopped.summary.reason]).toEqual([2, 'stopped', 'canary']);
  expect([stopped.summary.outcomes.failed, stopped.summary.open]).toEqual([5, 55]);

  const rest = await summaryFrom(flow, ['resume', stopped.summary.run], astray);
  expect([rest.summary.state, rest.summary.outcomes.failed]).toEqual(['finished', 60]);
  const found = await flow.run(['subclients-create', file]);
  expect(found.summary.outcomes.created).toBe(60);
});
