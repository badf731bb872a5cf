import { expect, test } from 'vitest';
import { SHIPPED_TIMES } from '../../src/lib/times.ts';
import { startBusyRedis } from '../support/busy-redis.ts';
import { startFlow } from '../support/flow.ts';
import { until } from '../support/until.ts';

/** Who waited for the script would wait as long as a process waits for Redis at all. */
const SOON_MS = SHIPPED_TIMES.deadlineMs / 2;

test('a worker that is to end while a foreign script keeps Redis busy ends at once, as interrupted', async () => {
  const { url, beBusy, endScript } = await startBusyRedis();
  const flow = await startFlow();
  const work = flow.start(['work'], { REDIS_URL: url });
  let said = '';
  work.child.stderr?.on('data', (text: string) => {
    said += text;
  });
  await until(() => said.includes('Working for'));
  await beBusy();
  const from = performance.now();
  work.child.kill('SIGTERM');
  const { exitCode, stderr } = await work.ended;
  expect([exitCode, stderr]).toEqual([4, expect.stringContaining('BUSY')]);
  expect(performance.now() - from).toBeLessThan(SOON_MS);
  await endScript();
});
