import { expect } from 'vitest';
import { startCrew } from '../support/crew.ts';
import { assertTruth } from '../support/truth.ts';

export type SharedRateOptions = {
  readonly ratePerSecond: number;
  /** As long as the run should take. */
  readonly seconds: number;
  /** Over which the rate is measured. */
  readonly windowSeconds: number;
  readonly workers: number;
  /** Beside the time that an answer takes. */
  readonly faults?: readonly string[];
  /** Nothing else uses the machine: the rate is to be reached too. */
  readonly isAlone?: boolean;
  readonly seed: number;
};

export type SharedRateReport = {
  /** Over the whole run. */
  readonly meanRate: number;
  /** In the fullest window. */
  readonly peakRate: number;
  /** The longest time without any request. */
  readonly longestGapSeconds: number;
  /** Processes that sent something. */
  readonly senders: number;
};

const OVER = 1.05;
const UNDER = 0.9;

/** A rate that holds over all processes together: never faster, and hardly slower. */
export async function sharedRate(options: SharedRateOptions): Promise<SharedRateReport> {
  const { ratePerSecond, seconds, workers, windowSeconds, faults = [] } = options;
  const rows = ratePerSecond * seconds;
  const crew = await startCrew({
    rows,
    workers,
    homes: 'one',
    front: true,
    job: jobText(ratePerSecond),
    // Slow enough that one process alone has not the slots for it.
    sandbox: { faults: ['latency=600ms±200ms', ...faults], seed: options.seed },
  });
  const { summary, exitCode } = await crew.finished;
  const { flow, keys, front } = crew;
  await assertTruth({ sandbox: flow.sandbox, home: flow.home, summary, keys });
  expect([exitCode, summary.outcomes.created]).toEqual([0, rows]);
  const exchanges = front?.exchanges() ?? [];
  const arrivals = exchanges.map(({ at }) => at).toSorted((a, b) => a - b);
  const lastMs = (arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0);
  const report = {
    meanRate: (arrivals.length - 1) / (lastMs / 1000),
    peakRate: fullest(arrivals, windowSeconds * 1000) / windowSeconds,
    longestGapSeconds: longestGap(arrivals) / 1000,
    senders: new Set(exchanges.map(({ token }) => token)).size,
  };
  process.stderr.write(`shared-rate ${JSON.stringify({ ...options, ...report })}\n`);
  // On a machine that stood still, what was on its way comes late: together with the next.
  const stood = faults.length === 0 ? report.longestGapSeconds / windowSeconds : 0;
  expect(report.peakRate).toBeLessThanOrEqual((OVER + stood) * ratePerSecond);
  if (options.isAlone === true) expect(report.meanRate).toBeGreaterThanOrEqual(UNDER * ratePerSecond);
  expect(report.senders).toBeGreaterThan(1);
  return report;
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

function jobText(ratePerSecond: number): string {
  return [
    'operation: subclient.create',
    'key: externalId',
    'fields: { additionalInformation.crmId: externalId }',
    `send: { concurrency: 20, rate: ${ratePerSecond}/s }`,
  ].join('\n');
}
