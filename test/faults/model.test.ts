import { expect, test } from 'vitest';
import { BROKEN, SETTLES_ANYTHING } from './model/broken.ts';
import { Violation } from './model/checks.ts';
import { useFastRedis } from './model/fast-redis.ts';
import { searchAll } from './model/search.ts';
import { runSequences } from './model/sequences.ts';
import { SEED } from './support/seed.ts';

const connections = useFastRedis();

test(`50 sequences of what can happen to a row: never twice, nothing lost (seed ${SEED})`, async () => {
  const tally = await runSequences({ redis: connections(), seed: SEED, runs: 50 });
  process.stderr.write(`model: ${tally.sequences} sequences, ${JSON.stringify([...tally.events])}\n`);
  expect(tally.sequences).toBe(50);
}, 240_000);

/** A row that is granted twice takes four events, and a fifth shows what comes of it: two takes, two intents, an answer. */
const DEPTH = 5;

test('every path of five events of one row and two takers: never twice, nothing lost', async () => {
  const limits = { crashes: 1, losses: 1, decisions: 1, attempts: 2, resends: true, halves: 0, pauses: 0 };
  const found = await searchAll({ connections: connections(), limits, drainEvery: 16, depth: DEPTH });
  process.stderr.write(`model: ${JSON.stringify(found)}\n`);
  expect(found.depth).toBe(DEPTH);
}, 240_000);

/** All of them are found out soon by it; any other would do, in its time. */
const EARLY = 4;

// A model that can't fail proves nothing.
test.each(Object.keys(BROKEN))(
  '%s is found out within 500 sequences',
  async (name) => {
    const options = { redis: connections(), seed: EARLY, runs: 500, bend: BROKEN[name] ?? {}, shrink: false };
    const violation = await violationIn(runSequences(options));
    process.stderr.write(`model: ${name}: ${violation}\n`);
    expect(violation).not.toBeNull();
  },
  240_000,
);

test('a ledger that settles whatever mark stands on the row is found out by the search', async () => {
  const limits = { crashes: 0, losses: 0, decisions: 0, attempts: 1, resends: false, halves: 0, pauses: 0 };
  const search = { connections: connections(), limits, drainEvery: 20, depth: 10 };
  const violation = await violationIn(searchAll({ ...search, bend: SETTLES_ANYTHING }));
  process.stderr.write(`model: by the search: ${violation}\n`);
  expect(violation).not.toBeNull();
});

/** What was found wrong; `null`: nothing. Anything else that went wrong is thrown. */
async function violationIn(work: Promise<unknown>): Promise<string | null> {
  try {
    await work;
    return null;
  } catch (error) {
    const violation = causeOf(error);
    if (violation === null) throw error;
    return violation.message;
  }
}

function causeOf(error: unknown): Violation | null {
  if (error instanceof Violation) return error;
  return error instanceof Error ? causeOf(error.cause) : null;
}
