import { expect, test } from 'vitest';
import { baseUrlOf } from '../../src/delivery/target.ts';
import { ledgerKeys } from '../../src/engine/ledger/keys.ts';
import { assertTruth } from '../faults/support/truth.ts';
import { makeCertificates, tlsLines } from '../support/certificates.ts';
import { type Flow, keysOf, startFlow, subclientsCsv, withSummary } from '../support/flow.ts';
import { startRedisCluster } from '../support/redis-cluster.ts';
import { documentedRights } from '../support/redis-rights.ts';
import { MASTER_NAME, startRedisGroup } from '../support/redis-sentinel.ts';
import { until } from '../support/until.ts';
import { whileSlow } from '../support/while-slow.ts';

const ROWS = 600;
/** What one process may have on the wire. */
const CONCURRENCY = 20;
const QUICK = ['latency=10ms'];
const PASSWORD = 'p@ss/word';
const ENCODED = encodeURIComponent(PASSWORD);

test('a cluster whose master dies and whose replica lags behind by many rows makes nothing twice and loses nothing', async () => {
  const certificates = await makeCertificates();
  const lines = [...tlsLines(certificates), `user onboard on >${PASSWORD} ${documentedRights('a cluster')}`];
  const cluster = await startRedisCluster({ ...WITH_ADMIN, isEncrypted: true, lines: [...ADMIN, ...lines] });
  const flow = await startFlow({ faults: QUICK });
  const master = await cluster.masterOf(ledgerKeys(baseUrlOf(flow.sandbox.url)).epoch);
  const replica = await cluster.addReplica(master);
  const run = await startRun(flow, {
    REDIS_URL: `rediss+cluster://onboard:${ENCODED}@${cluster.hosts}`,
    REDIS_TLS_CA_FILE: certificates.ca,
    REDIS_TLS_CERT_FILE: certificates.cert,
    REDIS_TLS_KEY_FILE: certificates.key,
  });
  await run.until(100);
  await whileSlow(flow.sandbox, { after: QUICK, latency: '500ms' }, async () => {
    await replica.admin.config('SET', 'masterauth', 'wrong');
    await replica.admin.call('CLIENT', 'KILL', 'TYPE', 'master');
  });
  await run.until(250);
  await whileSlow(flow.sandbox, { after: QUICK, latency: '500ms' }, async () => {
    expect(await replica.admin.info('replication')).toMatch(/^master_link_status:down/m);
    await master.kill();
  });
  await run.goesOn('a cluster, the master killed, the replica 150 rows behind');
  expect(await run.end()).toContain('the ledger is checked against the journals');
  expect(await replica.admin.call('ACL', 'LOG')).toEqual([]);
});

test('a master under Sentinel that freezes is replaced: nothing twice, nothing lost', async () => {
  const sentinelLines = [
    'requirepass admin',
    `user watcher on >${PASSWORD} ${documentedRights('Sentinels')}`,
  ];
  const group = await startRedisGroup({
    server: {
      ...WITH_ADMIN,
      lines: [...ADMIN, `user onboard on >${PASSWORD} ${documentedRights('one server')}`],
    },
    sentinel: { ...WITH_ADMIN, lines: sentinelLines },
  });
  const flow = await startFlow({ faults: QUICK });
  const run = await startRun(flow, {
    REDIS_URL: `redis+sentinel://onboard:${ENCODED}@127.0.0.1:1,127.0.0.1:${group.sentinel.port}/${MASTER_NAME}`,
    REDIS_SENTINEL_USERNAME: 'watcher',
    REDIS_SENTINEL_PASSWORD: PASSWORD,
  });
  await run.until(200);
  group.master.freeze();
  await run.goesOn('Sentinel, the master frozen');
  expect(await run.end()).toContain('the ledger is checked against the journals');
  expect(await group.masterPort()).not.toBe(group.master.port);
  for (const { admin } of [...group.replicas, group.sentinel]) {
    expect(await admin.call('ACL', 'LOG')).toEqual([]);
  }
});

const ADMIN = ['requirepass admin', 'masterauth admin'];
const WITH_ADMIN = { password: 'admin' } as const;

/** A run of its own under way. */
async function startRun(flow: Flow, env: Readonly<Record<string, string>>) {
  const made = () => flow.sandbox.stats().made.subclients;
  const file = await flow.file('a.csv', subclientsCsv(ROWS));
  // A process of its own: what Node warns of is part of what is said.
  const running = flow.start(['run', 'subclients-create', file, '--json'], env).ended.then(withSummary);
  const end = async () => {
    const { exitCode, summary, stderr } = await running;
    const keys = keysOf(ROWS);
    await assertTruth({ sandbox: flow.sandbox, home: flow.home, summary, keys });
    expect([exitCode, summary.outcomes.created], stderr).toEqual([0, ROWS]);
    return stderr;
  };
  return {
    made,
    /** Every row is created, none twice; answers what was said on the way. */
    end,
    until: (rows: number) => until(() => made() > rows),
    /** Waits for rows that were not on the wire already. */
    async goesOn(what: string) {
      const [from, before] = [performance.now(), made() + CONCURRENCY];
      await until(() => made() > before);
      const seconds = ((performance.now() - from) / 1000).toFixed(1);
      process.stderr.write(`redis-failover: ${what}: rows go on after ${seconds} s\n`);
    },
  };
}
