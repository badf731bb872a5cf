import { sleep } from '../../src/lib/waiting.ts';
import { type Bench, succeeded } from '../bench.ts';
import { startMeter } from '../cpu.ts';
import { createdAll, startRun, startWatch, startWorkers } from '../onboard.ts';
import { startRedis } from '../redis.ts';
import { costOfRow } from '../samples.ts';
import { DELAY_MS, startFastService, startNodeService } from '../service/fast-service.ts';
import { askRedis, readUsage, usedBetween } from './redis-usage.ts';
import type { Busy, Together } from './scale-results.ts';

/** Long enough for several signs of life of each. */
const IDLE_MS = 5_000;

/** So many `onboard work` on the service that answers after 50 ms: what a row costs, and before that a worker that waits. */
export async function workTogether(bench: Bench, workers: number): Promise<Together> {
  const rows = bench.options.sizes.rowsPerWorker * workers;
  await bench.rowsFile(rows);
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
  const spent = await startMeter({
    Workers: processes.map(({ pid }) => pid),
    Redis: [redis.pid],
    Service: [service.pid],
  });
  succeeded(await (await startWatch(bench, rows, place)).ended, 'onboard watch');
  const used = usedBetween(waited, await readUsage(admin));
  // Beside those only `onboard watch` has run.
  const cpuMicros = costOfRow(await spent(), rows)?.cpuMicros;
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
      workerMicros: cpuMicros?.Workers ?? 0,
      readerMicros: cpuMicros?.Program ?? 0,
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

/** One `onboard run` at a service that answers at once: the batches are as large as they get. */
export async function runAtOnce(bench: Bench): Promise<Busy> {
  const { rows } = bench.options.sizes;
  const file = await bench.rowsFile(rows);
  const redis = await startRedis(bench);
  const admin = askRedis(redis.url);
  const service = await startFastService(bench);
  const before = await readUsage(admin);
  const place = { home: await bench.home(), serviceUrl: service.url, redisUrl: redis.url };
  const { rowsPerSecond } = createdAll(await startRun(bench, file, place).ended, rows);
  const used = usedBetween(before, await readUsage(admin));
  admin.disconnect();
  await service.stop();
  await redis.stop();
  const perRow = {
    commands: used.commands / rows,
    scripts: used.scripts / rows,
    redisMicros: used.cpuMicros / rows,
  };
  bench.tell(
    `  at once: ${Math.round(rowsPerSecond)} rows/s, ${perRow.redisMicros.toFixed(1)} µs of Redis a row`,
  );
  return { rows, rowsPerSecond, perRow };
}
