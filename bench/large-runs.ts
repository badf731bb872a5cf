/**
 * Runs of a million rows: memory and the time per row against a small file's, on the embedded Redis.
 */

import { joinEmbeddedRedis } from '../src/redis/embedded.ts';
import type { Summary } from '../src/report/summary.ts';
import type { Bench } from './bench.ts';
import { startMeter } from './cpu.ts';
import { createdAll, startRun } from './onboard.ts';
import { BYTES_PER_MB, memoryPeakOf, peakMemory } from './processes.ts';
import { costDetails, costOfRow, othersOf, type RunCost, type Samples } from './samples.ts';
import { askRedis, field } from './scale/redis-usage.ts';
import { type Service, startFastService } from './service/fast-service.ts';

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
