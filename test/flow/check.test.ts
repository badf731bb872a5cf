import { expect, test } from 'vitest';
import { startFlow, subclientsCsv } from '../support/flow.ts';

test('check names the keys that a run has created, and --check-first begins nothing where a row would be invalid', async () => {
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
    codes: { duplicate_key: 1 },
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

  const refused = await flow.onboard(['run', 'subclients-create', second, '--check-first']);
  expect([refused.exitCode, refused.stdout]).toEqual([3, '']);
  expect(refused.stderr).toContain('row 7 (line 8, column "externalId")');
  expect(refused.stderr).toContain(
    'of 7 rows 1 would be invalid, and --check-first was asked for: nothing was begun.',
  );
  expect(flow.sandbox.stats().made.subclients).toBe(4);
  const runs = await flow.onboard(['runs', '--json']);
  expect(runs.stdout.trim().split('\n')).toHaveLength(1);

  const good = await flow.file('good.csv', subclientsCsv(6));
  const ended = await flow.run(['subclients-create', good, '--check-first']);
  expect([ended.exitCode, ended.summary.outcomes.created, ended.summary.outcomes.skipped]).toEqual([0, 2, 4]);
});
