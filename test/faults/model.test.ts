import { expect, test } from 'vitest';
import { BROKEN, SETTLES_ANYTHING } from './model/broken.ts';
import { Violation } from './model/checks.ts';
import type { Limits } from './model/enabled.ts';
import { useFastRedis } from './model/fast-redis.ts';
import { searchAll } from './model/search.ts';
import { runSequences } from './model/sequences.ts';
import { SEED } from './support/seed.ts';
import { LONG, TIMEOUT_MS } from './support/times.ts';

const connections = useFastRedis();

const RUNS = LONG ? 10_000 : 20;

test(
  `${RUNS} sequences of what can happen to a row: never twice, nothing lost (seed ${SEED})`,
  async () => {
    const tally = await runSequences({ redis: connections(), seed: SEED, runs: RUNS });
    process.stderr.write(`model: ${tally.sequences} sequences, ${JSON.stringify([...tally.events])}\n`);
    expect(tally.sequences).toBe(RUNS);
  },
  TIMEOUT_MS,
);

/** A row that is granted twice takes four events, and a fifth shows what comes of it: two takes, two intents, an answer. */
const [DEPTH, DRAIN_EVERY] = LONG ? [12, 5] : [5, 16];
const NONE = {
  crashes: 0,
  losses: 0,
  copies: 0,
  decisions: 0,
  attempts: 1,
  resends: false,
  halves: 0,
  pauses: 0,
};
const SEARCHES: ReadonlyArray<readonly [string, Limits]> = LONG
  ? [
      ['a crash and two attempts', { ...NONE, crashes: 1, attempts: 2 }],
      ['two crashes and a decision', { ...NONE, crashes: 2, decisions: 1 }],
      ['lost replies and a decision', { ...NONE, decisions: 1, resends: true }],
      ['a Redis that forgets, and two attempts', { ...NONE, losses: 1, attempts: 2 }],
      ['a Redis that forgets, and a crash', { ...NONE, losses: 1, crashes: 1 }],
      ['half a command, two attempts and a pause', { ...NONE, losses: 1, halves: 1, attempts: 2, pauses: 1 }],
      ['half a command, and a crash', { ...NONE, losses: 1, halves: 1, crashes: 1 }],
      ['an older copy, and two attempts', { ...NONE, copies: 1, attempts: 2 }],
      ['an older copy, and a crash', { ...NONE, copies: 1, crashes: 1 }],
    ]
  : [
      [
        'one of each',
        { ...NONE, crashes: 1, losses: 1, copies: 1, decisions: 1, attempts: 2, resends: true },
      ],
    ];

test.each(SEARCHES)(
  `every path of ${DEPTH} events of one row and two workers, with %s: never twice, nothing lost`,
  async (name, limits) => {
    const found = await searchAll({
      connections: connections(),
      limits,
      drainEvery: DRAIN_EVERY,
      depth: DEPTH,
    });
    process.stderr.write(`model: with ${name}: ${JSON.stringify(found)}\n`);
    expect(found.depth).toBe(DEPTH);
  },
  TIMEOUT_MS,
);

const KEYED: ReadonlyArray<readonly [number, Limits]> = LONG
  ? [
      [12, { ...NONE, crashes: 1, attempts: 2, forgets: true }],
      [10, { ...NONE, losses: 1, attempts: 2, forgets: true }],
    ]
  : [[5, { ...NONE, crashes: 1, attempts: 2, forgets: true }]];

test.each(KEYED)(
  'every path of %d events with an idempotency header, whose values the service forgets: never twice, nothing lost',
  async (depth, limits) => {
    const options = { connections: connections(), limits, drainEvery: DRAIN_EVERY, depth };
    const found = await searchAll({ ...options, isKeyed: true });
    process.stderr.write(`model: with a header: ${JSON.stringify(found)}\n`);
    expect(found.depth).toBe(depth);
  },
  TIMEOUT_MS,
);

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
  TIMEOUT_MS,
);

test('a ledger that settles whatever mark stands on the row is found out by the search', async () => {
  const search = { connections: connections(), limits: NONE, drainEvery: 20, depth: 10 };
  const violation = await violationIn(searchAll({ ...search, bend: SETTLES_ANYTHING }));
  process.stderr.write(`model: by the search: ${violation}\n`);
  expect(violation).not.toBeNull();
});

test('a sender for which no hours are ever over is found out by the search', async () => {
  const limits = { ...NONE, crashes: 1, forgets: true };
  const options = { connections: connections(), limits, drainEvery: 20, depth: 7, isKeyed: true };
  const violation = await violationIn(searchAll({ ...options, bend: { standsStill: true } }));
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
