import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { createJob, startFlow, subclientsCsv, withSummary } from '../support/flow.ts';
import { startRedisCluster } from '../support/redis-cluster.ts';
import { newKey } from '../support/sealing.ts';
import { lose, SEALING } from '../support/stored.ts';

test('a sealed Redis that lost its entry is refused without the key, and with it creates no key again', async () => {
  const flow = await startFlow({ env: { ONBOARD_ENCRYPTION_KEY: newKey() } });
  const redis = new Redis(flow.redisUrl);
  onTestFinished(() => redis.disconnect());
  const job = await flow.file('job.yaml', createJob());
  const load = async (rows: number, env = {}) => {
    const file = await flow.file(`rows-${rows}.csv`, subclientsCsv(rows));
    return flow.onboard(['run', '--job-file', job, file, '--json'], env);
  };
  await load(2);
  await lose(redis, SEALING);
  for (const env of [{ ONBOARD_ENCRYPTION_KEY: '' }, { ONBOARD_ENCRYPTION_KEY: newKey() }]) {
    const { exitCode, stderr } = await load(3, env);
    expect([exitCode, stderr]).toEqual([
      3,
      expect.stringContaining('The entry onboard:{index}:sealing is missing'),
    ]);
  }
  expect((await flow.onboard(['status'], { ONBOARD_ENCRYPTION_KEY: '' })).exitCode).toBe(3);
  const { summary } = withSummary(await load(3));
  expect(summary.outcomes).toMatchObject({ created: 1, skipped: 2 });
  expect(flow.sandbox.stats().made.subclients).toBe(3);
  // A fresh rehearsal, and a Redis that has lost all, go on as ever.
  await redis.flushdb();
  expect(withSummary(await load(2)).summary.outcomes.created).toBe(2);
});

test('a key is rotated on a cluster too, where an entry can not go with the ledger key', async () => {
  const { hosts } = await startRedisCluster();
  const [former, next] = [newKey(), newKey()];
  const env = { REDIS_URL: `redis+cluster://${hosts}`, ONBOARD_ENCRYPTION_KEY: former };
  const flow = await startFlow({ env });
  await flow.load(createJob(), subclientsCsv(2));
  const rotated = { ONBOARD_ENCRYPTION_KEY: next, ONBOARD_ENCRYPTION_KEY_OLD: former };
  expect((await flow.onboard(['rekey'], rotated)).stdout).toContain('the ledger and 1 run');
  const alone = { ONBOARD_ENCRYPTION_KEY: next };
  expect((await flow.onboard(['audit', '--json'], alone)).stdout).toContain('"what":"key-rotated"');
  expect((await flow.onboard(['status'], { ONBOARD_ENCRYPTION_KEY: former })).exitCode).toBe(3);
  expect((await flow.load(createJob(), subclientsCsv(3), alone)).summary.outcomes.created).toBe(1);
});
