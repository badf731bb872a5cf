/**
 * `onboard run` at a service that answers at once: its rows per second and the CPU of a row, beside those of the programs that it is
 * compared with; how often it has Redis write; and how many rows are in doubt when it is killed.
 */

import { countWrites } from './aof-writes.ts';
import type { Bench } from './bench.ts';
import { startMeter } from './cpu.ts';
import { createdAll, rateOfPeer, rateOfRun, startRun, summaryOf } from './onboard.ts';
import { startRedis } from './redis.ts';
import { alternate, cpuSamples, othersOf, type Rate, ratioSamples, type Samples } from './samples.ts';
import { askRedis, readUsage } from './scale/redis-usage.ts';
import { type Service, startFastService, startNodeService } from './service/fast-service.ts';

/** A loop that records nothing; and what a row of the run costs. */
export async function measureAgainstBareLoop(bench: Bench): Promise<readonly Samples[]> {
  const pairs = await measureRunAgainst(bench, (service) =>
    rateOfPeer(bench, 'bare-loop', { args: [service.url], parts: { Service: [service.pid] } }),
  );
  const costs = pairs.map(({ ours }) => ours.cost);
  return [...cpuSamples('cpu', 'All', costs), ratioSamples('bare', pairs)];
}

/** The obvious program. */
export async function measureAgainstJobPerRow(bench: Bench): Promise<readonly Samples[]> {
  const pairs = await measureRunAgainst(bench, async (service) => {
    const redis = await startRedis(bench);
    const rate = await rateOfPeer(bench, 'job-per-row', {
      args: [service.url, redis.url],
      parts: { Redis: [redis.pid], Service: [service.pid] },
    });
    await redis.stop();
    return rate;
  });
  return [ratioSamples('job-per-row', pairs)];
}

/** Rows per second of a run against another program with the same service. */
async function measureRunAgainst(bench: Bench, theirs: (service: Service) => Promise<Rate>) {
  const service = await startFastService(bench);
  const pairs = await alternate(bench.options.sizes.rounds, {
    ours: () => rateOfRun(bench, service),
    theirs: () => theirs(service),
  });
  await service.stop();
  return pairs;
}

/** Scripts that wrote, per 100 rows. */
export async function measureWrites(bench: Bench): Promise<readonly Samples[]> {
  const service = await startFastService(bench);
  const runs: Written[] = [];
  for (let round = 0; round < bench.options.sizes.rounds; round += 1)
    runs.push(await writesOfRun(bench, service));
  await service.stop();
  return [
    {
      figure: 'writes',
      values: runs.map(({ writes }) => writes),
      others: othersOf(runs.map(({ spent }) => [spent])),
      details: {
        scripts: runs.map(({ scripts }) => scripts),
        rowsPerSecond: runs.map(({ rowsPerSecond }) => rowsPerSecond),
      },
    },
  ];
}

/** Writes and scripts called, per 100 rows. */
type Written = {
  readonly writes: number;
  readonly scripts: number;
  readonly rowsPerSecond: number;
  readonly spent: { readonly others: number } | null;
};

async function writesOfRun(bench: Bench, service: Service): Promise<Written> {
  const { rows } = bench.options.sizes;
  const file = await bench.rowsFile(rows);
  // Rewritten, the file would no longer tell of every write.
  const redis = await startRedis(bench, ['--auto-aof-rewrite-percentage', '0']);
  const place = { home: await bench.home(), serviceUrl: service.url, redisUrl: redis.url };
  const spent = await startMeter();
  const { rowsPerSecond } = createdAll(await startRun(bench, file, place).ended, rows);
  const used = await spent();
  const admin = askRedis(redis.url);
  const usage = await readUsage(admin);
  admin.disconnect();
  await redis.stop();
  const writes = ((await countWrites(redis.folder)) * 100) / rows;
  const scripts = (usage.scripts * 100) / rows;
  bench.tell(`  ${writes.toFixed(2)} writes and ${scripts.toFixed(2)} scripts called per 100 rows`);
  return { writes, scripts, rowsPerSecond, spent: used };
}

/** Rows in doubt after a kill in the middle of a run. */
export async function measureInDoubt(bench: Bench): Promise<readonly Samples[]> {
  const kills: Kill[] = [];
  for (let round = 0; round < bench.options.sizes.rounds; round += 1) kills.push(await killOnce(bench));
  return [
    {
      figure: 'in-doubt',
      values: kills.map(({ inDoubt }) => inDoubt),
      others: othersOf(kills.map(({ spent }) => [spent])),
      details: { rowsPerSecond: kills.map(({ rowsPerSecond }) => rowsPerSecond) },
    },
  ];
}

/** `rowsPerSecond`: up to the kill, from the first request. */
type Kill = {
  readonly inDoubt: number;
  readonly rowsPerSecond: number;
  readonly spent: { readonly others: number } | null;
};

/** The service is the one in Node, since it has to say how far the run is. */
async function killOnce(bench: Bench): Promise<Kill> {
  const { rows } = bench.options.sizes;
  const file = await bench.rowsFile(rows);
  const redis = await startRedis(bench);
  const service = await startNodeService(bench, 0);
  const place = { home: await bench.home(), serviceUrl: service.url, redisUrl: redis.url };
  const spent = await startMeter();
  const killed = startRun(bench, file, place);
  await service.reached(rows / 2, killed.ended);
  process.kill(killed.pid, 'SIGKILL');
  await killed.ended;
  const { rate } = await service.numbers();
  const used = await spent();
  const { outcomes, controlTotal } = summaryOf(await startRun(bench, file, place).ended);
  const { requests } = await service.numbers();
  await service.stop();
  await redis.stop();
  const inDoubt = outcomes['in-doubt'];
  if (requests > rows || outcomes.created + inDoubt !== rows || !controlTotal.holds)
    throw new Error(`${requests} requests for ${rows} rows, of which: ${JSON.stringify(outcomes)}`);
  bench.tell(`  ${inDoubt} rows in doubt at ${Math.round(rate)} rows/s`);
  return { inDoubt, rowsPerSecond: rate, spent: used };
}
