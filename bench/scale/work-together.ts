import { readFile } from 'node:fs/promises';
import { sleep } from '../../src/lib/waiting.ts';
import { type Bench, succeeded } from '../bench.ts';
import { createdAll, type Place, startOnboard, startRun, startWatch } from '../onboard.ts';
import type { Started } from '../processes.ts';
import { startRedis } from '../redis.ts';
import { DELAY_MS, startFastService, startNodeService } from '../service/fast-service.ts';
import { askRedis, readUsage, usedBetween } from './redis-usage.ts';
import type { Busy, Together } from './scale-results.ts';

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

/** Linux counts in hundredths of a second, whatever its timer does (USER_HZ). */
const MICROS_PER_TICK = 10_000;
const LOOK_MS = 50;

/** CPU time that a process has used so far, all threads, µs; `null` where it is gone. */
async function cpuMicrosOf(pid: number): Promise<number | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (stat === null) return null;
  // Its name, in brackets, may have spaces; behind it the 12th and the 13th field are user and system time.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MICROS_PER_TICK;
}

/** Follows a process to its end; answers the CPU time it had used when it was last looked at, µs. */
async function cpuMicrosUntilEnd(pid: number, ended: Promise<unknown>): Promise<number> {
  let used = 0;
  let isOver = false;
  const over = ended.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    used = Math.max(used, (await cpuMicrosOf(pid)) ?? 0);
    await Promise.race([over, sleep(LOOK_MS)]);
  }
  return used;
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
