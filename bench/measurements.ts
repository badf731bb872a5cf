/**
 * What the benchmark measures: one function per measurement, each of which starts what it needs, does so many rounds, and answers a value
 * for each round. What the values are worth is decided in results.ts.
 */

import { type Bench, CONCURRENCY, succeeded } from './bench.ts';
import { startMeter } from './cpu.ts';
import type { MeasurementId } from './figures.ts';
import {
  measureAgainstBareLoop,
  measureAgainstJobPerRow,
  measureInDoubt,
  measureWrites,
} from './full-speed.ts';
import { measureFirstRow, measureLargeRuns } from './large-runs.ts';
import { createdAll, rateOfCheck, rateOfPeer, runPeer, startOnboard, startRun } from './onboard.ts';
import { startRedis } from './redis.ts';
import {
  alternate,
  costDetails,
  costOfRow,
  othersOf,
  type RunCost,
  ratioSamples,
  type Samples,
} from './samples.ts';
import { DELAY_MS, type NodeService, type ServiceNumbers, startNodeService } from './service/fast-service.ts';
import { measureLightWorkers, measureWorkers } from './workers.ts';

/** What each measurement does; each value of its samples is one round. */
export const MEASURE: Readonly<Record<MeasurementId, (bench: Bench) => Promise<readonly Samples[]>>> = {
  bare: measureAgainstBareLoop,
  'job-per-row': measureAgainstJobPerRow,
  writes: measureWrites,
  'in-doubt': measureInDoubt,
  'slow-service': measureOnSlowService,
  workers: measureWorkers,
  'light-workers': measureLightWorkers,
  million: measureLargeRuns,
  'first-row': measureFirstRow,
  start: (bench) => measureSeconds('start', bench, secondsToFirstRequest),
  version: measureVersion,
  check: measureCheck,
};

/** Rows per second of `onboard check` against csv-parse making objects of them. */
async function measureCheck(bench: Bench): Promise<readonly Samples[]> {
  const pairs = await alternate(bench.options.sizes.rounds, {
    ours: () => rateOfCheck(bench),
    theirs: () => rateOfPeer(bench, 'csv-objects', { args: [], parts: {} }),
  });
  return [ratioSamples('check', pairs)];
}

/** How long something took, and the share of the machine that others used meanwhile. */
type Timed = { readonly seconds: number; readonly spent: { readonly others: number } | null };

async function measureSeconds(
  figure: 'start' | 'version',
  bench: Bench,
  once: (bench: Bench) => Promise<Timed>,
): Promise<readonly Samples[]> {
  const rounds: Timed[] = [];
  for (let round = 0; round < bench.options.sizes.rounds; round += 1) {
    const timed = await once(bench);
    bench.tell(`  ${timed.seconds.toFixed(3)} s`);
    rounds.push(timed);
  }
  const values = rounds.map(({ seconds }) => seconds);
  return [{ figure, values, others: othersOf(rounds.map(({ spent }) => [spent])), details: {} }];
}

const ROWS = 1_000;

/** From the start of `onboard run` to its first request, with a home and an embedded Redis that begin with it. */
async function secondsToFirstRequest(bench: Bench): Promise<Timed> {
  const file = await bench.rowsFile(ROWS);
  const service = await startNodeService(bench, 0);
  const home = await bench.home();
  const spent = await startMeter();
  const run = startRun(bench, file, { home, serviceUrl: service.url, redisUrl: null });
  await service.reached(1, run.ended);
  const untilThen = await spent();
  createdAll(await run.ended, ROWS);
  const { firstRequestAt } = await service.numbers();
  await service.stop();
  return { seconds: (firstRequestAt - run.startedAt) / 1000, spent: untilThen };
}

/** The first brings the program's files into the page cache. */
async function measureVersion(bench: Bench): Promise<readonly Samples[]> {
  await secondsOfVersion(bench);
  return measureSeconds('version', bench, secondsOfVersion);
}

async function secondsOfVersion(bench: Bench): Promise<Timed> {
  const place = { home: await bench.home(), serviceUrl: 'http://127.0.0.1:9', redisUrl: null };
  const spent = await startMeter();
  const { seconds } = succeeded(await startOnboard(bench, ['--version'], place).ended, 'onboard --version');
  return { seconds, spent: await spent() };
}

/** The share of what so many requests in flight can be, from the first request to the last answer. */
async function measureOnSlowService(bench: Bench): Promise<readonly Samples[]> {
  const { rounds, slowRows } = bench.options.sizes;
  const runs: SlowRun[] = [];
  for (let round = 0; round < rounds; round += 1)
    runs.push(await onSlowService(bench, (service) => runOnce(bench, service)));
  const loop = await onSlowService(bench, async ({ url }) => {
    await runPeer(bench, 'bare-loop', { rows: slowRows, args: [url] });
    return null;
  });
  const costs = runs.map(({ cost }) => cost);
  const details = {
    rowsPerSecond: runs.map(({ rate }) => rate),
    heldMs: runs.map(({ heldMeanMs }) => heldMeanMs),
    bareLoopShare: [shareOf(loop)],
    ...costDetails('cpu', costs),
  };
  const others = othersOf(costs.map((cost) => [cost]));
  return [{ figure: 'slow-service', values: runs.map(shareOf), others, details }];
}

type SlowRun = ServiceNumbers & { readonly cost: RunCost };

/** Of the rate that the delay allows, as the service really kept it. */
function shareOf({ rate, heldMeanMs }: ServiceNumbers): number {
  return rate / ((CONCURRENCY * 1000) / heldMeanMs);
}

async function onSlowService(
  bench: Bench,
  run: (service: NodeService) => Promise<RunCost>,
): Promise<SlowRun> {
  const service = await startNodeService(bench, DELAY_MS);
  const cost = await run(service);
  const numbers = await service.numbers();
  await service.stop();
  bench.tell(`  ${Math.round(numbers.rate)} rows/s, answers held for ${numbers.heldMeanMs.toFixed(2)} ms`);
  return { ...numbers, cost };
}

async function runOnce(bench: Bench, service: NodeService): Promise<RunCost> {
  const { slowRows } = bench.options.sizes;
  const file = await bench.rowsFile(slowRows);
  const redis = await startRedis(bench);
  const place = { home: await bench.home(), serviceUrl: service.url, redisUrl: redis.url };
  const spent = await startMeter({ Redis: [redis.pid], Service: [service.pid] });
  createdAll(await startRun(bench, file, place).ended, slowRows);
  const cost = costOfRow(await spent(), slowRows);
  await redis.stop();
  return cost;
}
