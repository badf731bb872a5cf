import { expect, test } from 'vitest';
import { startFlow, subclientsCsv } from '../support/flow.ts';

test('check names the keys that a run has created, and ends with 1 where a row would be invalid', async () => {
  const flow = await startFlow();
  const first = await flow.load('subclients-create', subclientsCsv(4));
  const second = await flow.file('second.csv', `${subclientsCsv(6)}K6,Again Ltd\n`);

  const checked = await flow.onboard(['check', 'subclients-create', second, '--json']);
  expect(checked.exitCode).toBe(1);
  expect(JSON.parse(checked.stdout)).toMatchObject({
    rows: 7,
    invalid: 1,
    skipped: 4,
    waiting: 0,
    sendable: 2,
    causes: [{ code: 'duplicate_key', count: 1 }],
    earlierRun: null,
    keys: {
      target: flow.sandbox.url,
      reason: null,
      known: 4,
      held: 0,
      examples: [
        { row: 1, key: 'K1', kind: 'known', run: first.summary.run, id: expect.stringMatching(/./) },
        { row: 2 },
        { row: 3 },
      ],
    },
    requests: [
      { row: 5, path: '/v1/subclients' },
      { row: 6, path: '/v1/subclients' },
    ],
    estimate: { requests: 2, basis: 'last-run', run: first.summary.run },
  });
});
