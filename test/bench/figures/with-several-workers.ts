import { type Bench, succeeded } from '../bench.ts';
import { startWatch } from '../inbox-file.ts';
import { startOnboard } from '../onboard.ts';
import { startRedis } from '../redis.ts';
import type { Samples } from '../samples.ts';
import { startNodeService } from '../service/node-service.ts';
import { DELAY_MS } from '../service/service-numbers.ts';

/** Rows per second of one, two and four workers in the middle of a run. */
type Rates = { readonly one: number; readonly two: number; readonly four: number };

/** Two and four worker processes against one, on the service that answers after 50 ms. */
export async function measureWithSeveralWorkers(bench: Bench): Promise<readonly Samples[]> {
  const rounds: Rates[] = [];
  for (let round = 0; round < bench.options.sizes.rounds; round += 1) {
    const one = await rateOf(bench, 1);
    const two = await rateOf(bench, 2);
    rounds.push({ one, two, four: await rateOf(bench, 4) });
  }
  const one = rounds.map((rates) => rates.one);
  const two = rounds.map((rates) => rates.two);
  const four = rounds.map((rates) => rates.four);
  const against = (rates: readonly number[]) => rates.map((rate, round) => rate / (one[round] ?? Number.NaN));
  return [
    { figure: 'workers-2', values: against(two), details: { rowsPerSecond: two, oneRowsPerSecond: one } },
    { figure: 'workers-4', values: against(four), details: { rowsPerSecond: four, oneRowsPerSecond: one } },
  ];
}

async function rateOf(bench: Bench, count: number): Promise<number> {
  const redis = await startRedis(bench);
  const service = await startNodeService(bench, DELAY_MS);
  const place = { serviceUrl: service.url, redisUrl: redis.url };
  const workers = [];
  for (let n = 0; n < count; n += 1) {
    const worker = startOnboard(bench, ['work'], { ...place, home: await bench.home() });
    workers.push(worker);
    await worker.said('Working for');
  }
  const watch = await startWatch(bench, bench.options.sizes.rowsPerWorker * count, place);
  succeeded(await watch.ended, 'onboard watch');
  const { middleRate, heldMeanMs } = await service.numbers();
  await Promise.all(workers.map((worker) => worker.stop()));
  await service.stop();
  await redis.stop();
  bench.tell(`  ${count}: ${Math.round(middleRate)} rows/s, answers held for ${heldMeanMs.toFixed(2)} ms`);
  return middleRate;
}
