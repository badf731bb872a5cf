import { sleep } from '../../src/lib/waiting.ts';
import { type Bench, succeeded } from '../bench.ts';
import { startWatch } from '../inbox-file.ts';
import { type Place, startOnboard } from '../onboard.ts';
import type { Started } from '../processes.ts';
import { startRedis } from '../redis.ts';
import { startNodeService } from '../service/node-service.ts';
import { DELAY_MS } from '../service/service-numbers.ts';
import { askRedis } from './ask-redis.ts';
import { cpuMicrosOf, cpuMicrosUntilEnd } from './cpu-time.ts';
import { readUsage, usedBetween } from './redis-usage.ts';
import type { Together } from './scale-results.ts';

/** Long enough for several signs of life of each. */
const IDLE_MS = 5_000;

/** So many `onboard work` on the service that answers after 50 ms: what a row costs, and before that a worker that waits. */
export async function workTogether(bench: Bench, workers: number): Promise<Together> {
  const redis = await startRedis(bench);
  const admin = askRedis(redis.url);
  // Rewritten, the append-only file would no longer say how much was written to it.
  await admin.config('SET', 'auto-aof-rewrite-percentage', 0);
  const service = await startNodeService(bench, DELAY_MS);
  const place = { serviceUrl: service.url, redisUrl: redis.url };
  const alone = await readUsage(admin);
  const processes = await startWorkers(bench, workers, place);
  const waiting = await readUsage(admin);
  await sleep(IDLE_MS);
  const waited = await readUsage(admin);
  const cpuBefore = await cpuOf(processes);
  const rows = bench.options.sizes.rowsPerWorker * workers;
  const watch = await startWatch(bench, rows, place);
  const readerMicros = await cpuMicrosUntilEnd(watch.pid, watch.ended);
  succeeded(await watch.ended, 'onboard watch');
  const used = usedBetween(waited, await readUsage(admin));
  const workerMicros = (await cpuOf(processes)) - cpuBefore;
  const { middleRate, heldMeanMs } = await service.numbers();
  admin.disconnect();
  await Promise.all(processes.map((worker) => worker.stop()));
  await service.stop();
  await redis.stop();
  bench.tell(
    `  ${workers}: ${Math.round(middleRate)} rows/s, ${(used.cpuMicros / rows).toFixed(1)} µs of Redis a row`,
  );
  const idle = usedBetween(waiting, waited);
  const idleSeconds = workers * (IDLE_MS / 1000);
  return {
    workers,
    rows,
    rowsPerSecond: middleRate,
    heldMs: heldMeanMs,
    perRow: {
      commands: used.commands / rows,
      scripts: used.scripts / rows,
      redisMicros: used.cpuMicros / rows,
      bytesIn: used.bytesIn / rows,
      bytesOut: used.bytesOut / rows,
      aofBytes: used.aofBytes / rows,
      keptBytes: used.memoryBytes / rows,
      workerMicros: workerMicros / rows,
      readerMicros: readerMicros / rows,
    },
    perIdleWorker: {
      commands: idle.commands / idleSeconds,
      redisMicros: idle.cpuMicros / idleSeconds,
      networkBytes: (idle.bytesIn + idle.bytesOut) / idleSeconds,
      connections: (waited.connections - alone.connections) / workers,
      memoryBytes: (waited.memoryBytes - alone.memoryBytes) / workers,
    },
  };
}

async function startWorkers(
  bench: Bench,
  count: number,
  place: Omit<Place, 'home'>,
): Promise<readonly Started[]> {
  const workers: Started[] = [];
  for (let n = 0; n < count; n += 1) {
    const worker = startOnboard(bench, ['work'], { ...place, home: await bench.home() });
    workers.push(worker);
    await worker.said('Working for');
  }
  return workers;
}

async function cpuOf(processes: readonly Started[]): Promise<number> {
  const each = await Promise.all(processes.map(({ pid }) => cpuMicrosOf(pid)));
  return each.reduce<number>((total, micros) => total + (micros ?? 0), 0);
}
