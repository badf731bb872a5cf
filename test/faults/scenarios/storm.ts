import { performance } from 'node:perf_hooks';
import { expect } from 'vitest';
import { createJob } from '../../support/flow.ts';
import { allSend, startCrew, truthOf } from '../support/crew.ts';
import type { Exchange } from '../support/service-front.ts';
import { SLOWNESS } from '../support/times.ts';

export type StormOptions = {
  readonly rows: number;
  readonly concurrency: number;
  /** One answer in so many is 429, from when both processes send. */
  readonly every: number;
  readonly retryAfterSeconds: number;
  readonly seed: number;
};

/** How long a request may be on its way from its permission to the service, on a machine that is busy. */
const ON_ITS_WAY_MS = 500 * SLOWNESS;
/** What the service takes on average. */
const LATENCY_MS = 20;
/** Timers fire up to a millisecond early, and Redis counts whole ones. */
const EARLY_MS = 10;

/** Many answers say "not now": nobody sends before the time, and in the end every row is there. */
export async function storm(options: StormOptions) {
  const began = performance.now();
  const { rows, concurrency, retryAfterSeconds, seed, every } = options;
  const faults = [`429=every:${every};retry-after=${retryAfterSeconds}`, `latency=${LATENCY_MS}ms±10ms`];
  const crew = await startCrew({
    rows,
    homes: 'one',
    front: true,
    job: createJob(`concurrency: ${concurrency}`),
    sandbox: { faults, seed },
  });
  const senders = () => new Set(crew.front?.exchanges().map(({ token }) => token)).size;
  await allSend(crew, faults);
  const { summary, exitCode } = await truthOf(crew);
  expect([exitCode, summary.outcomes.created]).toEqual([0, rows]);
  const exchanges = crew.front?.exchanges() ?? [];
  const refusals = exchanges.filter(isRefusal);
  const early = refusals.map((refusal) => between(refusal, exchanges));
  const report = {
    refusals: early.length,
    senders: senders(),
    ofOthers: refusals.filter((refusal) => isToldToOthers(refusal, exchanges)).length,
    onTheirWay: early.flat().length,
    latestMs: Math.round(Math.max(0, ...early.flat())),
    seconds: Math.round(performance.now() - began) / 1000,
  };
  process.stderr.write(`storm ${JSON.stringify({ ...options, ...report })}\n`);
  expect(report.refusals).toBeGreaterThan(rows / every / 2);
  expect(report.latestMs, 'sent though the service had asked to be left alone').toBeLessThan(ON_ITS_WAY_MS);
  // Each place of both processes may have begun one, and another in each round trip until the refusal was heard of.
  for (const each of early) {
    const rounds = 1 + Math.max(0, ...each) / LATENCY_MS;
    expect(each.length).toBeLessThanOrEqual(crew.members.length * concurrency * rounds);
  }
  return report;
}

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
