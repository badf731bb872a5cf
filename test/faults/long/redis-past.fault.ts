import { expect, test } from 'vitest';
import { type Blow, redisPast } from '../scenarios/redis-past.ts';
import { SEED } from '../support/seed.ts';

const ROUND: readonly Blow[] = [
  { kind: 'cut', death: 'nobody' },
  { kind: 'cut', death: 'worker' },
  { kind: 'cut', death: 'nobody' },
  { kind: 'flush', death: 'nobody' },
  { kind: 'cut', death: 'worker' },
];

test.each(['one', 'each'] as const)(
  `20 times without its last second and 5 times empty, a worker killed 10 times, homes: %s (seed ${SEED})`,
  async (homes) => {
    const blows = [ROUND, ROUND, ROUND, ROUND, ROUND].flat();
    const report = await redisPast({ rows: 40_000, seed: SEED, homes, latencyMs: 60, blows });
    expect(report.blows).toBe(25);
  },
);

test(`10 times without its last second and empty, nobody killed: nothing in doubt (seed ${SEED})`, async () => {
  const blows = Array.from(
    { length: 10 },
    (_, i): Blow => ({ kind: i % 2 === 0 ? 'cut' : 'flush', death: 'nobody' }),
  );
  const report = await redisPast({ rows: 20_000, seed: SEED, homes: 'each', latencyMs: 60, blows });
  expect([report.inDoubtMade, report.inDoubtNotMade]).toEqual([0, 0]);
});

// Each by itself: with a journal that is gone, all that was handed out is in doubt.
test.each(
  [0, 1, 2, 3, 4].flatMap((n) => [
    { n, who: 'a worker of long standing', newcomer: false },
    { n, who: 'one that has just joined', newcomer: true },
  ]),
)(`without its last second, and without the journal of $who ($n, seed ${SEED})`, async ({ n, newcomer }) => {
  const blow = { kind: 'cut', death: 'worker-and-journal', ...(newcomer ? { newcomer } : {}) } as const;
  await redisPast({ rows: 4000, seed: SEED + n, homes: 'each', latencyMs: 60, blows: [blow] });
});
