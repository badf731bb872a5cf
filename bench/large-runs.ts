/**
 * Runs of a million rows: memory and the time per row against a small file's, on the embedded Redis; and how soon the first row of a new
 * run goes out beside them.
 */

import { z } from 'zod';
import { baseUrlOf } from '../src/delivery/target.ts';
import { ledgerKeys } from '../src/ledger/keys.ts';
import { createRunStore } from '../src/ledger/run-store.ts';
import { joinEmbeddedRedis } from '../src/redis/embedded.ts';
import type { Summary } from '../src/report/summary.ts';
import { type Bench, CONCURRENCY, succeeded } from './bench.ts';
import { startMeter } from './cpu.ts';
import { createdAll, startRun, startWatch, startWorkers } from './onboard.ts';
import { BYTES_PER_MB, memoryPeakOf, peakMemory } from './processes.ts';
import { startRedis } from './redis.ts';
import { costDetails, costOfRow, othersOf, type RunCost, type Samples } from './samples.ts';
import { askRedis, field } from './scale/redis-usage.ts';
import {
  DELAY_MS,
  type NodeService,
  type Service,
  startFastService,
  startNodeService,
} from './service/fast-service.ts';

/** A run on the embedded Redis: peaks of memory in MB, and what a row took of the run and of the whole process. */
type LargeRun = {
  readonly processMB: number;
  readonly redisMB: number;
  readonly redisUsedMB: number;
  readonly microsecondsPerRow: number;
  readonly wholeMicrosecondsPerRow: number;
  readonly cost: RunCost;
};

/** Memory at the full size, and the time per row against that of a small file. */
export async function measureLargeRuns(bench: Bench): Promise<readonly Samples[]> {
  const { longRounds, longRows, shortRows } = bench.options.sizes;
  const service = await startFastService(bench);
  const long: LargeRun[] = [];
  const short: LargeRun[] = [];
  for (let round = 0; round < longRounds; round += 1) {
    short.push(await largeRun(bench, service, shortRows));
    long.push(await largeRun(bench, service, longRows));
  }
  await service.stop();
  const others = othersOf(long.map(({ cost }) => [cost]));
  return [
    { figure: 'memory', values: long.map(({ processMB }) => processMB), others, details: {} },
    {
      figure: 'memory-redis',
      values: long.map(({ redisMB }) => redisMB),
      others,
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
    others: othersOf(long.map((run, round) => [run.cost, short[round]?.cost ?? null])),
    details: {
      ...costDetails(
        'cpu',
        long.map(({ cost }) => cost),
      ),
      microsecondsPerRow: long.map((run) => run.microsecondsPerRow),
      shortMicrosecondsPerRow: short.map((run) => run.microsecondsPerRow),
      wholeMicrosecondsPerRow: long.map((run) => run.wholeMicrosecondsPerRow),
      shortWholeMicrosecondsPerRow: short.map((run) => run.wholeMicrosecondsPerRow),
    },
  };
}

async function largeRun(bench: Bench, service: Service, rows: number): Promise<LargeRun> {
  const file = await bench.rowsFile(rows);
  const home = await bench.home();
  // Joined from here, too, so that the server is still there to be asked when the run has ended.
  const server = await joinEmbeddedRedis(home);
  const pid = await numberOf(server.address.path, 'server', 'process_id');
  const spent = await startMeter({ Redis: [pid], Service: [service.pid] });
  const run = startRun(bench, file, { home, serviceUrl: service.url, redisUrl: null });
  const processMB = await peakMemory(run.pid, run.ended);
  const ended = await run.ended;
  const cost = costOfRow(await spent(), rows);
  const redisMB = await memoryPeakOf(pid);
  const redisUsedMB = (await numberOf(server.address.path, 'memory', 'used_memory_peak')) / BYTES_PER_MB;
  await server.close();
  const numbers: LargeRun = {
    processMB,
    redisMB,
    redisUsedMB,
    cost,
    microsecondsPerRow: (runSeconds(createdAll(ended, rows)) * 1_000_000) / rows,
    wholeMicrosecondsPerRow: (ended.seconds * 1_000_000) / rows,
  };
  bench.tell(`  ${rows} rows: ${JSON.stringify(numbers)}`);
  return numbers;
}

function runSeconds({ startedAt, finishedAt }: Summary): number {
  return (Date.parse(finishedAt ?? '') - Date.parse(startedAt ?? '')) / 1000;
}

/** What a server says of itself in a section of INFO. */
async function numberOf(address: string, section: string, name: string): Promise<number> {
  const redis = askRedis(address);
  try {
    return field(await redis.info(section), name);
  } finally {
    redis.disconnect();
  }
}

/** Of each new run; a chunk has 100 rows. */
const NEW_ROWS = 200;
/** The large run is under way, and its worker warm, when the service has so many requests, or this part of them all. */
const UNDER_WAY = { requests: 5_000, part: 0.05 };

/** Seconds from the registration of a new run to its first request, while a worker is busy with a large one. */
export async function measureFirstRow(bench: Bench): Promise<readonly Samples[]> {
  const { rounds, longRows } = bench.options.sizes;
  const redis = await startRedis(bench);
  const service = await startNodeService(bench, DELAY_MS);
  const place = { serviceUrl: service.url, redisUrl: redis.url };
  const workers = await startWorkers(bench, 1, place);
  const large = await startWatch(bench, longRows, place);
  await service.reached(Math.min(UNDER_WAY.requests, longRows * UNDER_WAY.part), large.ended);
  const firsts: FirstRow[] = [];
  for (let round = 0; round < rounds; round += 1)
    firsts.push(await firstRowOnce(bench, { service, redisUrl: redis.url, round }));
  const { requests } = await service.numbers();
  if (requests >= longRows)
    throw new Error(`${longRows} rows were over too early: expected more (--long-rows)`);
  for (const process of [large, ...workers, service, redis]) await process.stop();
  const values = firsts.map(({ seconds }) => seconds);
  const others = othersOf(firsts.map(({ spent }) => [spent]));
  return [{ figure: 'first-row', values, others, details: {} }];
}

type FirstRow = { readonly seconds: number; readonly spent: { readonly others: number } | null };

type Beside = { readonly service: NodeService; readonly redisUrl: string; readonly round: number };

async function firstRowOnce(bench: Bench, { service, redisUrl, round }: Beside): Promise<FirstRow> {
  const mark = `new-${round}`;
  const job = await bench.jobWith(CONCURRENCY, mark);
  await bench.rowsFile(NEW_ROWS, mark);
  const spent = await startMeter();
  const watch = await startWatch(bench, NEW_ROWS, { serviceUrl: service.url, redisUrl, job, keys: mark });
  const { stdout } = succeeded(await watch.ended, 'onboard watch');
  const used = await spent();
  const { run } = fileSchema.parse(JSON.parse(stdout));
  const createdAt = await createdAtOf(run, { serviceUrl: service.url, redisUrl });
  const { firstByPath } = await service.numbers();
  const [, firstAt] = Object.entries(firstByPath).find(([path]) => path.endsWith(`mark=${mark}`)) ?? [];
  if (firstAt === undefined) throw new Error(`the service has no request of run ${run}`);
  const seconds = (firstAt - createdAt) / 1000;
  bench.tell(`  ${seconds.toFixed(3)} s`);
  return { seconds, spent: used };
}

/** What `onboard watch --json` says of a file, as far as it is needed here. */
const fileSchema = z.object({ run: z.string() });

type Ledger = { readonly serviceUrl: string; readonly redisUrl: string };

/** Milliseconds of `Date.now()`. */
async function createdAtOf(run: string, { serviceUrl, redisUrl }: Ledger): Promise<number> {
  const redis = askRedis(redisUrl);
  const store = createRunStore(redis, ledgerKeys(baseUrlOf(serviceUrl)), () => new Date());
  const found = await store.get(run);
  redis.disconnect();
  if (found === null) throw new Error(`run ${run} is not in the ledger`);
  return Date.parse(found.createdAt);
}
