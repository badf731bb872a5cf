import { expect, test } from 'vitest';
import { createJob } from '../support/flow.ts';
import { until } from '../support/until.ts';
import { type Crew, startCrew, truthOf } from './support/crew.ts';
import { SEED } from './support/seed.ts';
import type { Exchange } from './support/service-watch.ts';
import { LONG, TIMEOUT_MS } from './support/times.ts';

type SharedRateOptions = {
  readonly ratePerSecond: number;
  /** As long as the run should take. */
  readonly seconds: number;
  /** Over which the rate is measured. */
  readonly windowSeconds: number;
  readonly workers: number;
  /** The time that an answer takes; one process alone must not have the places for the rate. */
  readonly latency?: string;
  readonly faults?: readonly string[];
  /** Nothing else uses the machine: the rate is to be reached too. */
  readonly isAlone?: boolean;
  /** So often a worker is killed and comes back, all the time while there is enough for all of them to do. */
  readonly killEverySeconds?: number;
};

const MINUTE = { ratePerSecond: 50, seconds: 60, windowSeconds: 10, workers: 3 };
const RATES: readonly SharedRateOptions[] = LONG
  ? [
      { ...MINUTE, isAlone: true },
      // Rows that wait together do not make up for it afterwards.
      { ...MINUTE, faults: ['429=every:150;retry-after=2'] },
      {
        ratePerSecond: 250,
        seconds: 20,
        windowSeconds: 5,
        workers: 3,
        latency: '150ms±50ms',
        killEverySeconds: 5,
        isAlone: true,
      },
    ]
  : // More rows than one of them may have in hand.
    [{ ratePerSecond: 200, seconds: 5, windowSeconds: 3, workers: 2 }];

const OVER = 1.05;
const UNDER = 0.95;
/** Rows that a worker has in hand at most: while it is dead they are nobody's. */
const ROWS_IN_HAND = 800;

test.each(RATES)(
  `%#: $ratePerSecond requests per second over a run and $workers workers: never faster, and hardly slower (seed ${SEED})`,
  sharedRate,
  TIMEOUT_MS,
);

async function sharedRate(options: SharedRateOptions): Promise<void> {
  const { ratePerSecond, seconds, workers, windowSeconds, faults = [] } = options;
  const rows = ratePerSecond * seconds + rowsInHand(options);
  const crew = await startCrew({
    rows,
    workers,
    homes: 'one',
    job: createJob(`concurrency: 20, rate: ${ratePerSecond}/s`),
    sandbox: { faults: [`latency=${options.latency ?? '600ms±200ms'}`, ...faults], seed: SEED },
  });
  const kills = options.killEverySeconds === undefined ? 0 : await killByTurns(crew, options);
  const { summary, exitCode } = await truthOf(crew);
  const { created, 'in-doubt': inDoubt } = summary.outcomes;
  expect([exitCode, created + inDoubt]).toEqual([inDoubt === 0 ? 0 : 5, rows]);
  if (kills === 0) expect(inDoubt).toBe(0);
  const exchanges = crew.service.exchanges();
  // What dead workers had in hand comes late, when there is nothing else left to do.
  const arrivals = exchanges
    .map(({ at }) => at)
    .toSorted((a, b) => a - b)
    .slice(0, ratePerSecond * seconds);
  const together = whileAllWork(arrivals, exchanges);
  const lastMs = (together.at(-1) ?? 0) - (together[0] ?? 0);
  const report = {
    meanRate: (together.length - 1) / (lastMs / 1000),
    peakRate: fullest(arrivals, windowSeconds * 1000) / windowSeconds,
    longestGapSeconds: longestGap(arrivals) / 1000,
    senders: new Set(exchanges.map(({ token }) => token)).size,
  };
  process.stderr.write(`shared-rate ${JSON.stringify({ options, ...report })}\n`);
  // On a machine that stood still, what was on its way comes late: together with the next.
  const stood = faults.length === 0 ? report.longestGapSeconds / windowSeconds : 0;
  expect(report.peakRate).toBeLessThanOrEqual((OVER + stood) * ratePerSecond);
  if (options.isAlone === true) expect(report.meanRate).toBeGreaterThanOrEqual(UNDER * ratePerSecond);
  expect(report.senders).toBeGreaterThan(1);
}

/** From when the last of the processes begins until the first has nothing left to do. */
function whileAllWork(arrivals: readonly number[], exchanges: readonly Exchange[]): readonly number[] {
  const first = new Map<string, number>();
  const last = new Map<string, number>();
  for (const { token, at } of exchanges) {
    if (!first.has(token)) first.set(token, at);
    last.set(token, at);
  }
  const from = Math.max(...first.values());
  const to = Math.min(...last.values());
  return arrivals.filter((at) => at >= from && at <= to);
}

function rowsInHand({ killEverySeconds, workers }: SharedRateOptions): number {
  return killEverySeconds === undefined ? 0 : ROWS_IN_HAND * (workers + 1);
}

/** Kills one worker after the other, each after so many seconds' worth of requests; answers how many. */
async function killByTurns(crew: Crew, options: SharedRateOptions): Promise<number> {
  const { ratePerSecond, seconds, killEverySeconds = seconds } = options;
  const [, ...workers] = crew.members;
  let kills = 0;
  for (let second = killEverySeconds; second < seconds; second += killEverySeconds) {
    await until(() => crew.service.exchanges().length >= second * ratePerSecond);
    await workers[kills % workers.length]?.kill();
    kills += 1;
  }
  return kills;
}

/** The most arrivals in any window of that length. */
function fullest(arrivals: readonly number[], windowMs: number): number {
  let from = 0;
  return arrivals.reduce((most, at, i) => {
    while ((arrivals[from] ?? at) <= at - windowMs) from += 1;
    return Math.max(most, i - from + 1);
  }, 0);
}

function longestGap(arrivals: readonly number[]): number {
  return Math.max(0, ...arrivals.slice(1).map((at, i) => at - (arrivals[i] ?? at)));
}
