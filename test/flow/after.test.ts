import { expect, test } from 'vitest';
import { startFlow, subclientsCsv } from '../support/flow.ts';
import { until } from '../support/until.ts';

test('a job that comes after another waits for its run, and takes what that one has created', async () => {
  const flow = await startFlow();
  await flow.file('parents.yaml', 'operation: subclient.create\nkey: externalId\n');
  await flow.file(
    'children.yaml',
    `operation: subclient.create\nfiles: "children*"\nkey: Ref\nafter: parents\nfields:\n  details.name: Name\n  parent.id: { column: Parent, ref: subclient }\n`,
  );
  const env = { ONBOARD_JOBS: flow.home };
  const parents = await flow.file('parents.csv', subclientsCsv(3));
  const children = await flow.file('children.csv', 'Ref,Name,Parent\nC1,Child 1,K1\nC2,Child 2,K3\n');

  // Without a valid token the first run pauses before anything is sent.
  const paused = await flow.run(['parents', parents], { ...env, MSB_TOKEN: 'wrong' });
  expect(paused.summary.reason).toBe('credentials');

  const { stderr } = await flow.onboard(['check', 'children', children], env);
  expect(stderr).toContain(`will wait for run ${paused.summary.run} of parents (paused (credentials))`);
  const waiting = flow.begin(['run', 'children', children, '--json'], env);
  await until(() => waiting.said().includes(`onboard resume ${paused.summary.run}`));
  const resumed = await flow.onboard(['resume', paused.summary.run], env);
  expect(resumed.exitCode).toBe(0);

  const { exitCode, stdout } = await waiting.ended;
  expect([exitCode, JSON.parse(stdout).outcomes.created]).toEqual([0, 2]);
  expect(waiting.said().match(/Waiting for run/g)?.length).toBeLessThanOrEqual(3);
});
