import { expect, test } from 'vitest';
import { assertKnownLedger, createRunIndex } from '../../../src/engine/ledger/run-index.ts';
import { UsageError } from '../../../src/lib/usage-error.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { lose, setText, VERSION } from '../../support/stored.ts';

const own = useOwnRedis();

async function withRun() {
  const { redis } = own();
  await redis.flushall();
  await createRunIndex(redis).add('run-1', 'sandbox', new Date());
  return redis;
}

test('an empty Redis is a ledger of any form: nothing is written by the question', async () => {
  const { redis } = own();
  await redis.flushall();
  await assertKnownLedger(redis);
  expect(await redis.dbsize()).toBe(0);
});

test('a ledger has its version from its first run on', async () => {
  const redis = await withRun();
  expect(await redis.get(VERSION)).toBe('10');
  await assertKnownLedger(redis);
});

test.each([
  [
    'newer',
    '11',
    /has form 11; .+ knows form 10 alone\. Nothing was changed\. Use the version of onboard that wrote it/,
  ],
  ['older', '1', /has form 1;/],
])('a ledger of a %s form is refused, with what to do', async (_, version, words) => {
  const redis = await withRun();
  await setText(redis, VERSION, version);
  await expect(assertKnownLedger(redis)).rejects.toThrow(words);
  await expect(assertKnownLedger(redis)).rejects.toThrow(UsageError);
  // A process that is at work doesn't make it its own.
  await createRunIndex(redis).add('run-2', 'sandbox', new Date());
  expect(await redis.get(VERSION)).toBe(version);
});

test('a ledger whose first run is added meanwhile is of this form', async () => {
  const { redis } = own();
  await redis.flushall();
  const answered = async <T>(answer: Promise<T>) => {
    const first = await answer;
    await createRunIndex(redis).add('run-1', 'sandbox', new Date());
    return first;
  };
  await assertKnownLedger({
    get: (key) => answered(redis.get(key)),
    exists: (key) => answered(redis.exists(key)),
  });
  expect(await redis.get(VERSION)).toBe('10');
});

test('a ledger with runs and without a version is an older one', async () => {
  const redis = await withRun();
  await lose(redis, VERSION);
  await expect(assertKnownLedger(redis)).rejects.toThrow('has an older form, without a version;');
});
