import { expect, onTestFinished, test } from 'vitest';
import { createActs } from '../../src/faces/page/acts.ts';
import { waitForReplica } from '../../src/runs/replicas.ts';
import { createJob, type Flow, startFlow, subclientsCsv } from '../support/flow.ts';
import { startRedisCluster } from '../support/redis-cluster.ts';
import { type RedisNode, startRedisNode } from '../support/redis-node.ts';
import { fromElsewhere, newestRun } from '../support/run-control.ts';
import { openTestSession, startTestRun } from '../support/session.ts';
import { until } from '../support/until.ts';

const QUICK = 'repl-diskless-sync-delay 0';

async function startReplica(master: RedisNode): Promise<RedisNode> {
  const replica = await startRedisNode({ lines: [QUICK, `replicaof 127.0.0.1 ${master.port}`] });
  await until(async () => /^master_link_status:up/m.test(await replica.admin.info('replication')));
  return replica;
}

const startMaster = () => startRedisNode({ lines: [QUICK] });
const urlOf = ({ port }: RedisNode) => `redis://127.0.0.1:${port}`;
const NOT_COPIED = 'No replica of Redis has confirmed this within a second';

/** Each command that answers "done", in an order in which all can be given; the runs that they need are loaded first. */
async function prepareActs(flow: Flow) {
  const job = await flow.file('open.yaml', createJob());
  const waiting = await flow.file('dual.yaml', `${createJob()}approval: required\n`);
  const load = async (job: string, name: string, rows: string) => {
    await flow.onboard(['run', '--job-file', job, await flow.file(name, rows)]);
    return newestRun(flow);
  };
  const open = await load(job, 'open.csv', 'externalId,details.name\nF1,One\nF2,Two\nR1,Three\n');
  const first = await load(waiting, 'first.csv', subclientsCsv(1, 'A'));
  const second = await load(waiting, 'second.csv', subclientsCsv(1, 'B'));
  await fromElsewhere(flow, second);
  flow.sandbox.setFaults([]);
  const file = await flow.file('third.csv', subclientsCsv(1, 'C'));
  return {
    resolve: [['resolve', open, '3', '--not-created'], 0],
    'write-off': [['write-off', open, '1', '--reason', 'a test'], 0],
    rerun: [['rerun', open], 0],
    cancel: [['cancel', first], 0],
    approve: [['approve', second], 0],
    run: [['run', '--job-file', job, file], 0],
    purge: [['purge', '--older-than', '1d'], 1],
  } as const;
}

test('each command that is done says so where a replica stands still, and takes a second', async () => {
  const master = await startMaster();
  const replica = await startReplica(master);
  const faults = ['404=always;key=F', 'reset-after-create=always;key=R'];
  const flow = await startFlow({ redis: urlOf(master), faults });
  const acts = await prepareActs(flow);
  replica.freeze();
  for (const [name, [args, expected]] of Object.entries(acts)) {
    const from = performance.now();
    const { exitCode, stdout, stderr } = await flow.onboard(args, { ONBOARD_ACTOR: 'bea' });
    expect([exitCode, stderr], name + stdout).toEqual([expected, expect.stringContaining(NOT_COPIED)]);
    expect(stderr.split(NOT_COPIED), name).toHaveLength(2);
    expect(performance.now() - from, name).toBeGreaterThan(1_000);
  }
  replica.thaw();
  const purge = () => flow.onboard(['purge', '--older-than', '1d']);
  await until(async () => (await purge()).exitCode === 0);
  await replica.kill();
  const without = await purge();
  expect([without.exitCode, without.stderr]).toEqual([1, expect.stringContaining(NOT_COPIED)]);
});

test('at the page it is said beside what was done; where there never was a replica nobody waits', async () => {
  const master = await startMaster();
  const session = await openTestSession({ url: urlOf(master) }, onTestFinished);
  // What the page has begun would be waited for.
  onTestFinished(() => session.interruption.abort());
  const ask = async () => {
    const { run } = await startTestRun(session, { rows: 1 });
    await session.ledger.index.add(run.id, run.target, new Date());
    const cancel = { kind: 'cancel', run: run.id, seen: 'running', why: '' } as const;
    return createActs(session, null)({ by: 'ops', role: 'operator', ask: cancel });
  };
  const done = { kind: 'done', words: expect.not.stringContaining(NOT_COPIED) };
  expect(await ask()).toMatchObject(done);
  const replica = await startReplica(master);
  expect(await ask()).toMatchObject(done);
  await replica.kill();
  expect(await ask()).toMatchObject({
    kind: 'done',
    words: expect.stringMatching(`cancelled: .*${NOT_COPIED}`),
  });
  expect(session.io.stderr.text).not.toContain(NOT_COPIED);
});

test('in a cluster the master that wrote is asked', async () => {
  const cluster = await startRedisCluster();
  const session = await openTestSession({ url: `redis+cluster://${cluster.hosts}` }, onTestFinished);
  const { ledger, service, io } = session;
  const master = await cluster.masterOf(ledger.of(service.target).keys.files);
  const copied = () => waitForReplica(ledger, service.target);
  expect(await copied()).toBe(true);
  const replica = await cluster.addReplica(master);
  expect([await copied(), io.stderr.text]).toEqual([true, '']);
  replica.freeze();
  expect(await copied()).toBe(false);
  expect(io.stderr.text).toContain(NOT_COPIED);
});
