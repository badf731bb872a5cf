import type { Bench } from '../bench.ts';
import { createdAll, startRun } from '../onboard.ts';
import { startRedis } from '../redis.ts';
import { startFastService } from '../service/fast-service.ts';
import { askRedis } from './ask-redis.ts';
import { readUsage, usedBetween } from './redis-usage.ts';
import type { Busy } from './scale-results.ts';

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
