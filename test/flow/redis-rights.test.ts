import { expect, test } from 'vitest';
import { startFlow, subclientsCsv } from '../support/flow.ts';
import { startRedisNode } from '../support/redis-node.ts';
import { documentedRights } from '../support/redis-rights.ts';
import { summaryFrom } from '../support/run-control.ts';

const RIGHTS = documentedRights('one server');

async function startWith(rights: string) {
  const node = await startRedisNode({ lines: [`user onboard on >word ${rights}`] });
  const flow = await startFlow();
  const env = { REDIS_URL: `redis://onboard:word@127.0.0.1:${node.port}` };
  return { ...node, flow, env, file: await flow.file('a.csv', subclientsCsv(300)) };
}

test('a user with the rights that the document names loads, looks, reruns and is never refused', async () => {
  const { admin, flow, env, file } = await startWith(RIGHTS);
  flow.sandbox.setFaults(['404=100%']);
  let { summary } = await flow.run(['subclients-create', file], env);
  const reasons: (string | null)[] = [];
  while (summary.state !== 'finished') {
    reasons.push(summary.reason);
    ({ summary } = await summaryFrom(flow, ['resume', summary.run, '--yes'], env));
  }
  expect(reasons).toEqual(['canary', 'same-refusal', 'canary', 'canary']);
  expect(summary.outcomes.failed).toBe(300);
  flow.sandbox.setFaults([]);
  const rerun = await flow.onboard(['rerun', summary.run, '--json'], env);
  expect([rerun.exitCode, rerun.stderr]).toEqual([0, expect.anything()]);
  expect(flow.sandbox.stats().made.subclients).toBe(300);
  for (const args of [['doctor'], ['status'], ['runs'], ['check', 'subclients-create', file]]) {
    const said = await flow.onboard(args, env);
    expect(said.exitCode, said.stderr).toBe(0);
  }
  expect(await admin.call('ACL', 'LOG')).toEqual([]);
});

test('these rights reach no other keys, no settings, and nothing that is everybody’s', async () => {
  const { admin } = await startWith(RIGHTS);
  const dry = async (...command: string[]) => admin.call('ACL', 'DRYRUN', 'onboard', ...command);
  expect(await dry('SET', 'onboard:a', 'b')).toBe('OK');
  for (const command of [
    ['GET', 'other'],
    ['SET', 'other', 'b'],
    ['KEYS', '*'],
    ['SCAN', '0'],
    ['FLUSHALL'],
    ['FLUSHDB'],
    ['CONFIG', 'SET', 'appendonly', 'no'],
    ['ACL', 'LIST'],
    ['CLIENT', 'KILL', 'TYPE', 'normal'],
    ['SHUTDOWN'],
    ['DEBUG', 'SLEEP', '1'],
    ['REPLICAOF', 'NO', 'ONE'],
    ['PUBLISH', 'channel', 'text'],
    ['SCRIPT', 'FLUSH'],
  ]) {
    expect(await dry(...command), command.join(' ')).toMatch(/has no permissions/);
  }
});

test('without INFO nothing is sent', async () => {
  const { flow, env, file } = await startWith(RIGHTS.replace('+info', ''));
  const said = await flow.onboard(['run', 'subclients-create', file], env);
  expect([said.exitCode, said.stderr]).toEqual([3, expect.stringContaining("can't run this command")]);
  expect(flow.sandbox.stats().made.subclients).toBe(0);
});
