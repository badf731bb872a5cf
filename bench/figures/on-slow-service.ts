import { type Bench, CONCURRENCY } from '../bench.ts';
import { createdAll, startRun } from '../onboard.ts';
import { startRedis } from '../redis.ts';
import type { Samples } from '../samples.ts';
import { startNodeService } from '../service/node-service.ts';
import { DELAY_MS, type ServiceNumbers } from '../service/service-numbers.ts';
import { runPeer } from '../whole-process.ts';

/** The share of what so many requests in flight can be, from the first request to the last answer. */
export async function measureOnSlowService(bench: Bench): Promise<readonly Samples[]> {
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
