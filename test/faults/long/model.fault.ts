import { describe, expect, test } from 'vitest';
import { useFastRedis } from '../model/fast-redis.ts';
import { searchAll } from '../model/search.ts';
import { runSequences } from '../model/sequences.ts';
import { SEED } from '../support/seed.ts';

const connections = useFastRedis();

test(`10,000 sequences of what can happen to a row: never twice, nothing lost (seed ${SEED})`, async () => {
  const tally = await runSequences({ redis: connections(), seed: SEED, runs: 10_000 });
  process.stderr.write(`model: ${tally.sequences} sequences, ${JSON.stringify([...tally.events])}\n`);
  expect(tally.sequences).toBe(10_000);
});

describe('every path of 12 events of one row and two takers: never twice, nothing lost', () => {
  const none = { crashes: 0, losses: 0, decisions: 0, attempts: 1, resends: false, halves: 0, pauses: 0 };
  test.each([
    ['a crash and two attempts', { ...none, crashes: 1, attempts: 2 }],
    ['two crashes and a decision', { ...none, crashes: 2, decisions: 1 }],
    ['lost replies and a decision', { ...none, decisions: 1, resends: true }],
    ['a Redis that forgets, and two attempts', { ...none, losses: 1, attempts: 2 }],
    ['a Redis that forgets, and a crash', { ...none, losses: 1, crashes: 1 }],
    ['half a command, two attempts and a pause', { ...none, losses: 1, halves: 1, attempts: 2, pauses: 1 }],
    ['half a command, and a crash', { ...none, losses: 1, halves: 1, crashes: 1 }],
  ])('with %s', async (name, limits) => {
    const found = await searchAll({ connections: connections(), depth: 12, limits, drainEvery: 5 });
    process.stderr.write(`model: with ${name}: ${JSON.stringify(found)}\n`);
    expect(found.depth).toBe(12);
  });
});
