import { expect, test } from 'vitest';
import { useFastRedis } from './model/fast-redis.ts';
import { searchAll } from './model/search.ts';
import { runSequences } from './model/sequences.ts';

const connections = useFastRedis();
test('many', async () => {
  const tally = await runSequences({ redis: connections(), seed: 4711, runs: 2_500 });
  process.stderr.write(`model: ${JSON.stringify([...tally.events])}\n`);
  expect(tally.sequences).toBe(2_500);
}, 1_200_000);
test('search with give-up and loss', async () => {
  const limits = { crashes: 0, decisions: 0, attempts: 2, losses: 1, resends: false };
  const found = await searchAll({
    connections: connections(),
    depth: 10,
    limits,
    drainEvery: 20,
    untilMs: 150_000,
  });
  process.stderr.write(`model: ${JSON.stringify(found)}\n`);
}, 1_200_000);
