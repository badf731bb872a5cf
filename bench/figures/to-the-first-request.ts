import type { Bench } from '../bench.ts';
import { createdAll, startRun } from '../onboard.ts';
import type { Samples } from '../samples.ts';
import { startNodeService } from '../service/node-service.ts';

const ROWS = 1_000;

/** From the start of `onboard run` to its first request, with a home and an embedded Redis that begin with it. */
export async function measureToTheFirstRequest(bench: Bench): Promise<readonly Samples[]> {
  const values: number[] = [];
  for (let round = 0; round < bench.options.sizes.rounds; round += 1) values.push(await startOnce(bench));
  return [{ figure: 'start', values, details: {} }];
}

async function startOnce(bench: Bench): Promise<number> {
  const file = await bench.rowsFile(ROWS);
  const service = await startNodeService(bench, 0);
  const home = await bench.home();
  const run = startRun(bench, file, { home, serviceUrl: service.url, redisUrl: null });
  createdAll(await run.ended, ROWS);
  const { firstRequestAt } = await service.numbers();
  await service.stop();
  const seconds = (firstRequestAt - run.startedAt) / 1000;
  bench.tell(`  ${seconds.toFixed(3)} s`);
  return seconds;
}
