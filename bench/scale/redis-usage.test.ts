import { expect, test } from 'vitest';
import { useOwnRedis } from '../../test/support/redis.ts';
import { parseUsage, readUsage, usedBetween } from './redis-usage.ts';

const own = useOwnRedis();

test('commands within scripts are counted, and scripts apart from them', async () => {
  const { redis } = own();
  const before = await readUsage(redis);
  await redis.eval("for i = 1, 5 do redis.call('SET', KEYS[1], i) end", 1, 'k');
  await redis.set('other', 'x'.repeat(100_000));
  const used = usedBetween(before, await readUsage(redis));
  expect(used.scripts).toBe(1);
  // The five within it, the script, SET and the INFO of the first look.
  expect(used.commands).toBe(8);
  expect(used.bytesIn).toBeGreaterThan(100_000);
  expect(used.aofBytes).toBeGreaterThan(100_000);
  expect(used.memoryBytes).toBeGreaterThan(100_000);
});

test('a server that does not tell something is an error that names it', () => {
  expect(() => parseUsage('used_cpu_user_main_thread:1\r\n')).toThrow('used_cpu_sys_main_thread');
});
