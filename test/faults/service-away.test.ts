import { performance } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { baseUrlOf } from '../../src/delivery/target.ts';
import { createSharedBreaker } from '../../src/engine/ledger/breaker.ts';
import { ledgerKeys } from '../../src/engine/ledger/keys.ts';
import { until } from '../support/until.ts';
import { allOf, testsOf } from './support/all-of.ts';
import { type Crew, redisOf, startCrew, truthOf } from './support/crew.ts';
import { createDice, SEED } from './support/seed.ts';
import { LONG, SLOWNESS, secondsSince, TIMEOUT_MS } from './support/times.ts';
import type { Truth } from './support/truth.ts';

/** `refused`: nobody listens. `reset`: each request's connection is reset. `unavailable`: 503 with Retry-After. */
type AwayMode = 'refused' | 'reset' | 'unavailable';

type Away = {
  readonly mode: AwayMode;
  /** Beside the run. */
  readonly workers: number;
  /** The service's mean answering time; each answer takes 0 to twice as long. What was begun before it went away is answered still. */
  readonly latencyMs: number;
};

const [ROWS, DOWN_SECONDS] = LONG ? [5000, 120] : [600, 6];
const AWAY: readonly Away[] = LONG
  ? [
      { mode: 'refused', workers: 1, latencyMs: 1000 },
      { mode: 'reset', workers: 1, latencyMs: 1000 },
      { mode: 'reset', workers: 1, latencyMs: 20 },
      { mode: 'unavailable', workers: 3, latencyMs: 200 },
    ]
  : (['refused', 'reset', 'unavailable'] as const).map((mode) => ({ mode, workers: 1, latencyMs: 300 }));

test.each(testsOf(AWAY, ({ mode, latencyMs }) => `${mode}, ${latencyMs} ms`))(
  `the service is away for ${DOWN_SECONDS} s, $names: rows wait, one tries at a time, and all are sent when it is back (seed ${SEED})`,
  async ({ all }) => {
    await allOf(all, serviceAway);
  },
  TIMEOUT_MS,
);

type Report = Truth & {
  /** When requests came in that the service did not answer well, ms since it went; where nobody listens nobody sees them. */
  readonly arrivals: readonly number[];
  /** Of those: after everybody had stopped but one. */
  readonly late: readonly number[];
  readonly awaySeconds: number;
  /** Attempts that were not the last of their row. */
  readonly repeats: number;
  /** From the return of the service to the next row made. */
  readonly backSeconds: number;
};

/** `send.concurrency` of the job: what one process may have on the wire. */
const CONCURRENCY = 20;
/** From when the breaker is seen open: by then what was on its way has come in. */
const CLOSING_MS = 1_500;
const FIRST_PAUSE_SECONDS = 1;
const PAUSE_MAX_SECONDS = 30;
/** Pauses double: a probe comes within that long after the breaker is seen open, and as long again as it took to see it. */
const LONG_ENOUGH_SECONDS = 5;
/** Timers of several processes on a machine that is busy; a probe that is lost would cost 35 s. */
const SLACK_SECONDS = 8 * SLOWNESS;
const SLACK_MS = 100;
/** A second of Retry-After for the row alone is less than the pauses of all. */
const UNAVAILABLE = '503-retry-after=always;retry-after=1';
/** This many failures in a row open the breaker (src/engine/ledger/breaker.ts). */
const FAILURES_IN_A_ROW = 10;
/** Answers to what was begun before come between the first failures, so that those are not in a row; slots are free for others meanwhile. */
const TURNS = { reset: 3, refused: 5, unavailable: 3 } as const;

/** The service goes in the middle of a run and comes back: that costs time, not rows. */
async function serviceAway(options: Away): Promise<void> {
  const faults = [latencyOf(options)];
  const crew = await startCrew({
    rows: ROWS,
    workers: options.workers,
    homes: 'one',
    redis: 'url',
    sandbox: { faults },
  });
  const due = ROWS * (0.1 + 0.3 * createDice(SEED).next());
  const allAtWork = () => crew.members.every((member) => member.requests() > CONCURRENCY);
  await until(() => crew.made() >= due && (allAtWork() || crew.made() >= ROWS / 2));
  const from = performance.now();
  await setAway(crew, options);
  const seen = await lookMeanwhile(crew);
  const openAt = performance.now();
  await until(() => performance.now() - openAt >= downMs(openAt - from));
  const madeBefore = crew.made();
  const to = performance.now();
  await setBack(crew, options);
  await until(() => crew.made() > madeBefore);
  const backSeconds = secondsSince(to);
  // What is left only has to come to an end.
  crew.flow.sandbox.setFaults(['latency=20ms']);
  const { summary, exitCode, truth } = await truthOf(crew);
  const results = await crew.flow.results(summary);
  const arrivals = arrivalsIn(crew, from);
  const report = {
    ...truth,
    arrivals,
    late: arrivals.filter((arrival) => arrival > openAt - from + CLOSING_MS),
    awaySeconds: (to - from) / 1000,
    repeats: results.reduce((sum, { attempts }) => sum + Number(attempts) - 1, 0),
    backSeconds,
  };
  const told = { ...options, ...report, arrivals: arrivals.length, late: report.late.length, seen };
  process.stderr.write(`service-away ${JSON.stringify(told)}\n`);
  const inDoubt = report.inDoubtMade + report.inDoubtNotMade;
  expect(summary.outcomes).toMatchObject({ created: ROWS - inDoubt, 'in-doubt': inDoubt });
  expect(exitCode).toBe(inDoubt === 0 ? 0 : 5);
  judge(report, options);
}

/** How long it stays away after the breaker was seen open, which took so long. */
function downMs(seenAfterMs: number): number {
  return Math.max(1000 * DOWN_SECONDS, 1000 * LONG_ENOUGH_SECONDS + seenAfterMs);
}

/** It answers so only while it is away. */
function arrivalsIn(crew: Crew, from: number): number[] {
  return crew.service
    .exchanges()
    .filter(({ status }) => status !== 200)
    .map(({ at }) => at - from);
}

function judge(report: Report, { mode, workers }: Away): void {
  const inFlight = CONCURRENCY * (1 + workers);
  const probesMax = pausesIn(report.awaySeconds);
  const touchedMax = TURNS[mode] * inFlight + FAILURES_IN_A_ROW + probesMax;
  expect(report.arrivals.length).toBeLessThanOrEqual(touchedMax);
  expect(report.late.length, 'one at a time').toBeLessThanOrEqual(probesMax);
  if (mode !== 'refused') {
    expect(report.arrivals.length, 'until everybody stopped').toBeGreaterThanOrEqual(FAILURES_IN_A_ROW);
    expect(report.late.length).toBeGreaterThan(0);
  }
  for (const [i, at] of report.late.slice(1).entries())
    expect(at - (report.late[i] ?? 0), 'between two probes').toBeGreaterThanOrEqual(
      FIRST_PAUSE_SECONDS * 1000 - SLACK_MS,
    );
  const inDoubt = report.inDoubtMade + report.inDoubtNotMade;
  // Each reset is one row in doubt, and none is without; a refusal costs no row at all.
  expect(inDoubt).toBe(mode === 'reset' ? report.arrivals.length : 0);
  expect(report.repeats).toBeLessThanOrEqual(mode === 'reset' ? 0 : touchedMax);
  expect(report.backSeconds).toBeLessThanOrEqual(
    Math.min(PAUSE_MAX_SECONDS, report.awaySeconds) + SLACK_SECONDS,
  );
}

/** How often one row may try in that time: after 1 s, after 2 s more, 4, 8, 16, and then every 30 s. */
function pausesIn(seconds: number): number {
  let count = 0;
  let pause = FIRST_PAUSE_SECONDS;
  for (let at = 0; at < seconds; at += pause, pause = Math.min(2 * pause, PAUSE_MAX_SECONDS)) count += 1;
  return count;
}

function latencyOf({ latencyMs }: Away): string {
  return `latency=${latencyMs}ms±${latencyMs}ms`;
}

async function setAway(crew: Crew, options: Away): Promise<void> {
  const { mode } = options;
  if (mode === 'refused') return crew.service.refuse();
  crew.flow.sandbox.setFaults(mode === 'reset' ? ['reset-before=always'] : [UNAVAILABLE, latencyOf(options)]);
}

async function setBack(crew: Crew, options: Away): Promise<void> {
  if (options.mode === 'refused') return crew.service.accept();
  crew.flow.sandbox.setFaults([latencyOf(options)]);
}

const statusSchema = z.object({
  state: z.string(),
  service: z.object({ state: z.string(), failuresInARow: z.number(), since: z.string().nullable() }),
});

/** What a person who asks is told: the run goes on, the service is away. */
async function lookMeanwhile(crew: Crew) {
  const breaker = breakerOf(crew);
  await until(async () => (await breaker.read()).state === 'away');
  const { stdout } = await crew.flow.onboard(['status', 'latest', '--json']);
  const { state, service } = statusSchema.parse(JSON.parse(stdout));
  expect([state, service.state]).toEqual(['running', 'away']);
  expect(service.failuresInARow).toBeGreaterThanOrEqual(FAILURES_IN_A_ROW);
  expect(Date.parse(service.since ?? '')).toBeLessThanOrEqual(Date.now());
  return service;
}

function breakerOf(crew: Crew) {
  return createSharedBreaker(redisOf(crew).redis, ledgerKeys(baseUrlOf(crew.flow.sandbox.url)));
}
