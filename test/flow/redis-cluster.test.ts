import { expect, test } from 'vitest';
import { baseUrlOf } from '../../src/delivery/target.ts';
import { ledgerKeys } from '../../src/engine/ledger/keys.ts';
import { TIMES } from '../faults/support/times.ts';
import { assertTruth } from '../faults/support/truth.ts';
import { keysOf, startFlow, subclientsCsv } from '../support/flow.ts';
import { type RedisCluster, startRedisCluster } from '../support/redis-cluster.ts';
import { until } from '../support/until.ts';
import { whileSlow } from '../support/while-slow.ts';

const ROWS = 600;

test('on a cluster of three nodes a run is killed, gone on with while its slot moves, and reported; each ledger lies in one slot', async () => {
  const cluster = await startRedisCluster();
  const flow = await startFlow({ times: TIMES, faults: ['latency=10ms'] });
  const env = { REDIS_URL: `redis+cluster://${cluster.hosts}` };
  const gate = ledgerKeys(baseUrlOf(flow.sandbox.url)).epoch;
  const made = () => flow.sandbox.stats().made.subclients;
  const file = await flow.file('a.csv', subclientsCsv(ROWS));

  const killed = flow.start(['run', 'subclients-create', file], env);
  await until(() => made() > 100);
  killed.child.kill('SIGKILL');
  await killed.ended;
  const goingOn = flow.run(['subclients-create', file], env);
  const before = made() + 100;
  await until(() => made() > before);
  // It moves under rows that go on, not after the last one.
  await whileSlow(flow.sandbox, { after: ['latency=10ms'], latency: '100ms' }, () => cluster.moveSlot(gate));
  const { summary } = await goingOn;

  const keys = keysOf(ROWS);
  await assertTruth({ sandbox: flow.sandbox, home: flow.home, summary, keys });
  expect(summary.outcomes.created + summary.outcomes['in-doubt']).toBe(ROWS);
  // What was on its way when the process was killed.
  expect(summary.outcomes['in-doubt']).toBeLessThan(ROWS / 10);

  const small = await flow.file('b.csv', subclientsCsv(3));
  const rehearsal = await flow.run(['subclients-create', small, '--sandbox'], env);
  expect(rehearsal.summary.outcomes.created).toBe(3);
  const wrong = await flow.file('c.csv', 'externalId,details.name\nW1,\nW2,\nW3,\nW4,Four\n');
  const { run } = (await flow.run(['subclients-create', wrong], env)).summary;
  const text = (await flow.report({ run }, 'failed.csv'))
    .replace('W1,', 'W1,One')
    .replace(/^W[23].*\n/gm, '');
  const right = await flow.file('corrected.csv', text);
  expect((await flow.run(['subclients-create', right], env)).summary.outcomes.created).toBe(1);
  expect((await flow.onboard(['write-off', run, '2', '--reason', 'closed'], env)).exitCode).toBe(0);
  const account = await flow.onboard(['account', run], env);
  expect(account.stdout).toContain('4 rows = 2 at the service + 1 written off + 1 open');
  const slots = await slotsByTag(cluster);
  const [tag = ''] = gate.match(/\{.*\}/) ?? [];
  expect([...slots.keys()].sort()).toEqual([tag, '{index}', '{sandbox}'].sort());
  for (const ofTag of slots.values()) expect(ofTag.size).toBe(1);

  const listed = await flow.onboard(['runs'], env);
  expect(listed.stdout).toContain(summary.run);
  const doctor = await flow.onboard(['doctor'], env);
  expect([doctor.exitCode, doctor.stdout]).toEqual([0, expect.stringContaining('is a cluster of 3 masters')]);
});

/** Hash tag → the slots that keys with it lie in, over all masters. */
async function slotsByTag({ masters }: RedisCluster): Promise<ReadonlyMap<string, ReadonlySet<number>>> {
  const found = new Map<string, Set<number>>();
  for (const { admin } of masters) {
    for (const key of await admin.keys('*')) {
      const tag = /\{.*?\}/.exec(key)?.[0] ?? key;
      const slot = Number(await admin.call('CLUSTER', 'KEYSLOT', key));
      found.set(tag, (found.get(tag) ?? new Set()).add(slot));
    }
  }
  return found;
}
