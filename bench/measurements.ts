/**
 * What the benchmark measures: one function per measurement, each of which starts what it needs, does so many rounds, and answers a value
 * for each round. What the values are worth is decided in results.ts.
 */

import { Redis } from 'ioredis';
import { joinEmbeddedRedis } from '../src/redis/embedded.ts';
import type { Summary } from '../src/report/summary.ts';
import { type Bench, CONCURRENCY, succeeded } from './bench.ts';
import type { FigureId, MeasurementId } from './figures.ts';
import {
  createdAll,
  rateOfCheck,
  rateOfPeer,
  rateOfRun,
  runPeer,
  startOnboard,
  startRun,
  startWatch,
} from './onboard.ts';
import { BYTES_PER_MB, memoryPeakOf, peakMemory, startBusyMeter } from './processes.ts';
import { startRedis } from './redis.ts';
import { alternate, type Rate, ratioSamples, type Samples } from './samples.ts';
import { DELAY_MS, type ServiceNumbers, startFastService, startNodeService } from './service/fast-service.ts';

/** What each measurement does; each value of its samples is one round. */
export const MEASURE: Readonly<Record<MeasurementId, (bench: Bench) => Promise<readonly Samples[]>>> = {
  bare: (bench) => measureRunAgainst('bare', bench, rateOfBareLoop),
  'job-per-row': (bench) => measureRunAgainst('job-per-row', bench, rateOfJobPerRow),
  'slow-service': measureOnSlowService,
  workers: measureWithSeveralWorkers,
  'light-workers': measureWithLightWorkers,
  million: measureWithAMillionRows,
  start: measureToTheFirstRequest,
  check: measureCheck,
};

/** Rows per second of `onboard check` against csv-parse making objects of them. */
async function measureCheck(bench: Bench): Promise<readonly Samples[]> {
  const pairs = await alternate(bench.options.sizes.rounds, {
    ours: () => rateOfCheck(bench),
    theirs: () => rateOfPeer(bench, 'csv-objects', []),
  });
  return [ratioSamples('check', pairs)];
}

/** Rows per second of a run against another program with the same service. */
async function measureRunAgainst(
  figure: 'bare' | 'job-per-row',
  bench: Bench,
  theirs: (bench: Bench, serviceUrl: string) => Promise<Rate>,
): Promise<readonly Samples[]> {
  const service = await startFastService(bench);
  const pairs = await alternate(bench.options.sizes.rounds, {
    ours: () => rateOfRun(bench, service.url),
    theirs: () => theirs(bench, service.url),
  });
  await service.stop();
  return [ratioSamples(figure, pairs)];
}

/** A loop that records nothing. */
const rateOfBareLoop = (bench: Bench, serviceUrl: string) => rateOfPeer(bench, 'bare-loop', [serviceUrl]);

/** The obvious program. */
async function rateOfJobPerRow(bench: Bench, serviceUrl: string): Promise<Rate> {
  const redis = await startRedis(bench);
  const rate = await rateOfPeer(bench, 'job-per-row', [serviceUrl, redis.url]);
  await redis.stop();
  return rate;
}

const ROWS = 1_000;

/** From the start of `onboard run` to its first request, with a home and an embedded Redis that begin with it. */
async function measureToTheFirstRequest(bench: Bench): Promise<readonly Samples[]> {
  const values: number[] = [];
  for (let round = 0; round < bench.options.sizes.rounds; round += 1) values.push(await startOnce(bench));
  return [{ figure: 'start', values, details: {} }];
}

async function startOnce(bench: Bench): Promise<number> {
  const file = await bench.rowsFile(ROWS);
  const service = await startNodeService(bench, 0);
  const home = await bench.home();
  const run = startRun(bench, file, { home, serviceUrl: service.url, redisUrl: null });
  createdAll(await run.ended, ROWS);
  const { firstRequestAt } = await service.numbers();
  await service.stop();
  const seconds = (firstRequestAt - run.startedAt) / 1000;
  bench.tell(`  ${seconds.toFixed(3)} s`);
  return seconds;
}

/** The share of what so many requests in flight can be, from the first request to the last answer. */
async function measureOnSlowService(bench: Bench): Promise<readonly Samples[]> {
  const { rounds, slowRows } = bench.options.sizes;
  const file = await bench.rowsFile(slowRows);
  const runs: ServiceNumbers[] = [];
  for (let round = 0; round < rounds; round += 1) {
    runs.push(await onFreshService(bench, (url) => runOnce(bench, { file, rows: slowRows, url })));
  }
  const loop = await onFreshService(bench, (url) =>
    runPeer(bench, 'bare-loop', { rows: slowRows, args: [url] }),
  );
  const details = {
    rowsPerSecond: runs.map(({ rate }) => rate),
    heldMs: runs.map(({ heldMeanMs }) => heldMeanMs),
    bareLoopShare: [shareOf(loop)],
  };
  return [{ figure: 'slow-service', values: runs.map(shareOf), details }];
}

/** Of the rate that the delay allows, as the service really kept it. */
function shareOf({ rate, heldMeanMs }: ServiceNumbers): number {
  return rate / ((CONCURRENCY * 1000) / heldMeanMs);
}

async function onFreshService(bench: Bench, run: (url: string) => Promise<unknown>): Promise<ServiceNumbers> {
  const service = await startNodeService(bench, DELAY_MS);
  await run(service.url);
  const numbers = await service.numbers();
  await service.stop();
  bench.tell(`  ${Math.round(numbers.rate)} rows/s, answers held for ${numbers.heldMeanMs.toFixed(2)} ms`);
  return numbers;
}

type OneRun = { readonly file: string; readonly rows: number; readonly url: string };

async function runOnce(bench: Bench, { file, rows, url }: OneRun): Promise<void> {
  const redis = await startRedis(bench);
  const home = await bench.home();
  const ended = await startRun(bench, file, { home, serviceUrl: url, redisUrl: redis.url }).ended;
  createdAll(ended, rows);
  await redis.stop();
}

/** Few enough for four processes that the processors have room. */
const LIGHT_CONCURRENCY = 20;

/** Requests in flight of each process, and the figures of two and of four processes. */
type Setting = { readonly concurrency: number; readonly two: FigureId; readonly four: FigureId };
/** Rows per second in the middle of a run, and the share of the processors' time in use during the run. */
type BusyRate = { readonly rowsPerSecond: number; readonly busy: number };
/** Of one, two and four workers. */
type Round = { readonly one: BusyRate; readonly two: BusyRate; readonly four: BusyRate };

/** Two and four worker processes against one, on the service that answers after 50 ms. */
function measureWithSeveralWorkers(bench: Bench): Promise<readonly Samples[]> {
  return measure(bench, { concurrency: CONCURRENCY, two: 'workers-2', four: 'workers-4' });
}

/** The same with so few requests in flight that the processors are not what is measured. */
function measureWithLightWorkers(bench: Bench): Promise<readonly Samples[]> {
  return measure(bench, { concurrency: LIGHT_CONCURRENCY, two: 'light-workers-2', four: 'light-workers-4' });
}

async function measure(bench: Bench, { concurrency, two, four }: Setting): Promise<readonly Samples[]> {
  const rounds: Round[] = [];
  for (let round = 0; round < bench.options.sizes.rounds; round += 1)
    rounds.push({
      one: await rateOf(bench, 1, concurrency),
      two: await rateOf(bench, 2, concurrency),
      four: await rateOf(bench, 4, concurrency),
    });
  return [samplesOf(two, rounds, 'two'), samplesOf(four, rounds, 'four')];
}

function samplesOf(figure: FigureId, rounds: readonly Round[], several: 'two' | 'four'): Samples {
  return {
    figure,
    values: rounds.map((round) => round[several].rowsPerSecond / round.one.rowsPerSecond),
    details: {
      rowsPerSecond: rounds.map((round) => round[several].rowsPerSecond),
      oneRowsPerSecond: rounds.map(({ one }) => one.rowsPerSecond),
      busy: rounds.map((round) => round[several].busy),
    },
  };
}

async function rateOf(bench: Bench, count: number, concurrency: number): Promise<BusyRate> {
  const redis = await startRedis(bench);
  const service = await startNodeService(bench, DELAY_MS);
  const place = { serviceUrl: service.url, redisUrl: redis.url };
  const workers = [];
  for (let n = 0; n < count; n += 1) {
    const worker = startOnboard(bench, ['work'], { ...place, home: await bench.home() });
    workers.push(worker);
    await worker.said('Working for');
  }
  const rows = Math.round((bench.options.sizes.rowsPerWorker * count * concurrency) / CONCURRENCY);
  const watch = await startWatch(bench, rows, { ...place, job: await bench.jobWith(concurrency) });
  const busy = startBusyMeter();
  succeeded(await watch.ended, 'onboard watch');
  const share = busy();
  const { middleRate, heldMeanMs } = await service.numbers();
  await Promise.all(workers.map((worker) => worker.stop()));
  await service.stop();
  await redis.stop();
  bench.tell(
    `  ${count}: ${Math.round(middleRate)} rows/s, answers held for ${heldMeanMs.toFixed(2)} ms, processors ${Math.round(share * 100)} % in use`,
  );
  return { rowsPerSecond: middleRate, busy: share };
}

/** A run on the embedded Redis: peaks of memory in MB, and what a row took of the run and of the whole process. */
type LargeRun = {
  readonly processMB: number;
  readonly redisMB: number;
  readonly redisUsedMB: number;
  readonly microsecondsPerRow: number;
  readonly wholeMicrosecondsPerRow: number;
};

/** Memory at the full size, and the time per row against that of a small file. */
async function measureWithAMillionRows(bench: Bench): Promise<readonly Samples[]> {
  const { longRounds, longRows, shortRows } = bench.options.sizes;
  const service = await startFastService(bench);
  const long: LargeRun[] = [];
  const short: LargeRun[] = [];
  for (let round = 0; round < longRounds; round += 1) {
    short.push(await largeRun(bench, service.url, shortRows));
    long.push(await largeRun(bench, service.url, longRows));
  }
  await service.stop();
  return [
    { figure: 'memory', values: long.map(({ processMB }) => processMB), details: {} },
    {
      figure: 'memory-redis',
      values: long.map(({ redisMB }) => redisMB),
      details: { usedMemoryPeakMB: long.map(({ redisUsedMB }) => redisUsedMB) },
    },
    timeSamples(long, short),
  ];
}

function timeSamples(long: readonly LargeRun[], short: readonly LargeRun[]): Samples {
  return {
    figure: 'million',
    values: long.map(
      (run, round) => run.microsecondsPerRow / (short[round]?.microsecondsPerRow ?? Number.NaN),
    ),
    details: {
      microsecondsPerRow: long.map((run) => run.microsecondsPerRow),
      shortMicrosecondsPerRow: short.map((run) => run.microsecondsPerRow),
      wholeMicrosecondsPerRow: long.map((run) => run.wholeMicrosecondsPerRow),
      shortWholeMicrosecondsPerRow: short.map((run) => run.wholeMicrosecondsPerRow),
    },
  };
}

async function largeRun(bench: Bench, serviceUrl: string, rows: number): Promise<LargeRun> {
  const file = await bench.rowsFile(rows);
  const home = await bench.home();
  // Joined from here, too, so that the server is still there to be asked when the run has ended.
  const server = await joinEmbeddedRedis(home);
  const run = startRun(bench, file, { home, serviceUrl, redisUrl: null });
  const processMB = await peakMemory(run.pid, run.ended);
  const ended = await run.ended;
  const redis = await redisPeaks(server.address.path);
  await server.close();
  const numbers: LargeRun = {
    processMB,
    ...redis,
    microsecondsPerRow: (runSeconds(createdAll(ended, rows)) * 1_000_000) / rows,
    wholeMicrosecondsPerRow: (ended.seconds * 1_000_000) / rows,
  };
  bench.tell(`  ${rows} rows: ${JSON.stringify(numbers)}`);
  return numbers;
}

function runSeconds({ startedAt, finishedAt }: Summary): number {
  return (Date.parse(finishedAt ?? '') - Date.parse(startedAt ?? '')) / 1000;
}

async function redisPeaks(socket: string): Promise<Pick<LargeRun, 'redisMB' | 'redisUsedMB'>> {
  const redis = new Redis(socket);
  const pid = await numberIn(redis, 'server', 'process_id');
  const used = await numberIn(redis, 'memory', 'used_memory_peak');
  redis.disconnect();
  return { redisMB: await memoryPeakOf(pid), redisUsedMB: used / BYTES_PER_MB };
}

async function numberIn(redis: Redis, section: string, name: string): Promise<number> {
  const found = new RegExp(`^${name}:(\\d+)`, 'm').exec(await redis.info(section))?.[1];
  if (found === undefined) throw new Error(`INFO ${section} has no ${name}`);
  return Number(found);
}
