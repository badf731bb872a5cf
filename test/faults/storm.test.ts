import { performance } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { createJob } from '../support/flow.ts';
import { allSend, startCrew, truthOf } from './support/crew.ts';
import { SEED } from './support/seed.ts';
import type { Exchange } from './support/service-watch.ts';
import { LONG, SLOWNESS, secondsSince, TIMEOUT_MS } from './support/times.ts';

/** More rows than one process has in hand, so that both send. */
const [ROWS, CONCURRENCY] = LONG ? [2_000, 40] : [1_200, 10];
/** One answer in so many is 429, from when both processes send. */
const EVERY = LONG ? 20 : 300;
const RETRY_AFTER_SECONDS = LONG ? 2 : 3;

/** How long a request may be on its way from its permission to the service, on a machine that is busy. */
const ON_ITS_WAY_MS = 500 * SLOWNESS;
/** What the service takes on average. */
const LATENCY_MS = 20;
/** Timers fire up to a millisecond early, and Redis counts whole ones. */
const EARLY_MS = 10;

test(
  `one answer in ${EVERY} to two processes' requests says 429: neither sends before the time, and every row is created (seed ${SEED})`,
  async () => {
    const began = performance.now();
    const faults = [`429=every:${EVERY};retry-after=${RETRY_AFTER_SECONDS}`, `latency=${LATENCY_MS}ms±10ms`];
    const crew = await startCrew({
      rows: ROWS,
      homes: 'one',
      job: createJob(`concurrency: ${CONCURRENCY}`),
      sandbox: { faults, seed: SEED },
    });
    await allSend(crew, faults);
    const { summary, exitCode } = await truthOf(crew);
    expect([exitCode, summary.outcomes.created]).toEqual([0, ROWS]);
    const exchanges = crew.service.exchanges();
    const refusals = exchanges.filter(isRefusal);
    const early = refusals.map((refusal) => between(refusal, exchanges));
    const report = {
      refusals: early.length,
      senders: new Set(exchanges.map(({ token }) => token)).size,
      ofOthers: refusals.filter((refusal) => isToldToOthers(refusal, exchanges)).length,
      onTheirWay: early.flat().length,
      latestMs: Math.round(Math.max(0, ...early.flat())),
      seconds: secondsSince(began),
    };
    process.stderr.write(`storm ${JSON.stringify(report)}\n`);
    expect(report.refusals).toBeGreaterThan(ROWS / EVERY / 2);
    expect(report.senders).toBe(2);
    expect(report.ofOthers, 'refusals that another process had to keep').toBeGreaterThan(0);
    expect(report.latestMs, 'sent though the service had asked to be left alone').toBeLessThan(ON_ITS_WAY_MS);
    // Each place of both processes may have begun one, and another in each round trip until the refusal was heard of.
    for (const each of early) {
      const rounds = 1 + Math.max(0, ...each) / LATENCY_MS;
      expect(each.length).toBeLessThanOrEqual(crew.members.length * CONCURRENCY * rounds);
    }
  },
  TIMEOUT_MS,
);

type Refusal = Exchange & { readonly answeredAt: number; readonly retryAfterSeconds: number };

function isRefusal(exchange: Exchange): exchange is Refusal {
  return exchange.status === 429 && exchange.retryAfterSeconds !== null && exchange.answeredAt !== null;
}

/** How long after the refusal each request came in that came before its time. */
function between({ answeredAt, retryAfterSeconds }: Refusal, exchanges: readonly Exchange[]): number[] {
  const allowedAt = answeredAt + retryAfterSeconds * 1000 - EARLY_MS;
  return exchanges.filter(({ at }) => at > answeredAt && at < allowedAt).map(({ at }) => at - answeredAt);
}

/** Whether another process was at work then, and still is afterwards. */
function isToldToOthers({ token, at }: Refusal, exchanges: readonly Exchange[]): boolean {
  const others = exchanges.filter((other) => other.token !== token);
  return others.some((other) => other.at < at) && others.some((other) => other.at > at);
}
