import { performance } from 'node:perf_hooks';
import { expect } from 'vitest';
import { type Crew, startCrew, truthOf } from '../support/crew.ts';
import { type Kill, killLoop } from '../support/killing.ts';
import { createDice } from '../support/seed.ts';
import { SLOWNESS, secondsSince, TIMES, takeOverSeconds, watchProgress } from '../support/times.ts';
import type { Truth } from '../support/truth.ts';

export type KillWorkersOptions = {
  readonly rows: number;
  readonly kills: number;
  readonly seed: number;
  readonly homes: 'one' | 'each';
  /** The service's mean answering time; each answer takes 0 to twice as long. */
  readonly latencyMs: number;
  /** A victim dies after 1 to this many requests. */
  readonly requestsMax: number;
};

export type KillWorkersReport = Truth & {
  readonly kills: number;
  readonly killsOfRun: number;
  readonly seconds: number;
  /** The longest time in which no row at all was made. */
  readonly longestStandstillSeconds: number;
  /** From the last kill to the run's end. */
  readonly tailSeconds: number;
};

/** `send.concurrency` of the job: what one process may have on the wire. */
const CONCURRENCY = 20;
/** How much slower than the service allows the rows after the last kill may be. */
const ROWS_SLOWNESS = 2 * SLOWNESS;

/** One of two processes dies again and again, by SIGKILL, while rows are created: nothing twice, nothing lost. */
export async function killWorkers(options: KillWorkersOptions): Promise<KillWorkersReport> {
  const { rows, kills, seed, homes, latencyMs } = options;
  const began = performance.now();
  const faults = [`latency=${latencyMs}ms±${latencyMs}ms`];
  const crew = await startCrew({ rows, homes, sandbox: { faults } });
  const progress = watchProgress(crew.made);
  const killing = killLoop({
    victims: crew.members,
    kills,
    requestsMax: options.requestsMax,
    dice: createDice(seed),
    over: crew.finished,
  });
  const openAfterLast = killing.then(() => {
    // What is left only has to come to an end.
    crew.flow.sandbox.setFaults(['latency=20ms']);
    return rows - crew.made();
  });
  const [, done] = await Promise.all([crew.finished, killing]);
  const tailSeconds = secondsSince(done.at(-1)?.at ?? began);
  const { longestStandstillMs } = progress.stop();
  const { truth } = await truthOf(crew);
  const report = {
    ...truth,
    kills: done.length,
    killsOfRun: done.filter(({ name }) => name === 'run').length,
    seconds: secondsSince(began),
    longestStandstillSeconds: Math.round(longestStandstillMs) / 1000,
    tailSeconds,
  };
  process.stderr.write(`kill-workers ${JSON.stringify({ ...options, ...report })}\n`);
  judge(report, done, { ...options, open: await openAfterLast, crew });
  return report;
}

type Expected = KillWorkersOptions & { readonly open: number; readonly crew: Crew };

function judge(report: KillWorkersReport, done: readonly Kill[], expected: Expected): void {
  expect(report.kills, 'the run ended before all kills were done').toBe(expected.kills);
  expect(done.every(({ requests }) => requests > 0)).toBe(true);
  // Rows whose answers are being recorded have given their places to the next, and some are ready for theirs.
  const inFlight = 1.5 * CONCURRENCY;
  expect(report.inDoubtMade + report.inDoubtNotMade).toBeLessThanOrEqual(inFlight * report.kills);
  const takeOver = takeOverSeconds(TIMES);
  expect(report.longestStandstillSeconds).toBeLessThanOrEqual(takeOver);
  const rowsPerSecond = (expected.crew.members.length * CONCURRENCY) / (expected.latencyMs / 1000);
  const workSeconds = (ROWS_SLOWNESS * expected.open) / rowsPerSecond;
  expect(report.tailSeconds).toBeLessThanOrEqual(takeOver + workSeconds);
}
