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

test('a canary of which no row succeeds stops the run before the rest, and a person may let it go on', async () => {
  const flow = await startFlow();
  const job = await flow.file(
    'partner.yaml',
    'operation: subclient.create\nkey: externalId\nsend: { canary: 5 }\nrequired: [details.alias]\n',
  );
  const rows = subclientsCsv(250).replace('details.name', 'details.name,details.alias');
  const withAlias = (line: string, i: number) =>
    i === 0 || line === '' ? line : `${line},${i > 5 ? 'A' : ''}`;
  const file = await flow.file('rows.csv', rows.split('\n').map(withAlias).join('\n'));

  const stopped = await flow.run(['--job-file', job, file]);
  expect([stopped.exitCode, stopped.summary.state, stopped.summary.reason]).toEqual([2, 'stopped', 'canary']);
  expect([stopped.summary.outcomes.invalid, stopped.summary.open]).toEqual([5, 245]);
  expect(flow.sandbox.stats().made.subclients).toBe(0);

  const resumed = await summaryFrom(flow, ['resume', stopped.summary.run]);
  expect([resumed.exitCode, resumed.summary.state]).toEqual([1, 'finished']);
  expect(resumed.summary.outcomes).toMatchObject({ invalid: 5, created: 245 });
  expect(flow.sandbox.stats().made.subclients).toBe(245);
});
