import { Redis } from 'ioredis';
import { joinEmbeddedRedis } from '../../src/redis/embedded.ts';
import { serverProcess } from '../../src/redis/server-process.ts';
import type { Summary } from '../../src/report/summary.ts';
import type { Bench } from '../bench.ts';
import { createdAll, startRun } from '../onboard.ts';
import { BYTES_PER_MB, memoryPeakOf, peakMemory } from '../peak-memory.ts';
import type { Samples } from '../samples.ts';
import { startFastService } from '../service/fast-service.ts';

/** A run on the embedded Redis: peaks of memory in MB, and what a row took of the run and of the whole process. */
type LargeRun = {
  readonly processMB: number;
  readonly redisMB: number;
  readonly redisUsedMB: number;
  readonly microsecondsPerRow: number;
  readonly wholeMicrosecondsPerRow: number;
};

/** Memory at the full size, and the time per row against that of a small file. */
export async function measureWithAMillionRows(bench: Bench): Promise<readonly Samples[]> {
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
  const redis = await redisPeaks(home, server.address.path);
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

async function redisPeaks(home: string, socket: string): Promise<Pick<LargeRun, 'redisMB' | 'redisUsedMB'>> {
  const redis = new Redis(socket);
  const used = /^used_memory_peak:(\d+)/m.exec(await redis.info('memory'))?.[1];
  redis.disconnect();
  const pid = await serverProcess(`${home}/redis`);
  return { redisMB: await memoryPeakOf(pid ?? 0), redisUsedMB: Number(used) / BYTES_PER_MB };
}
