import type { Bench } from '../bench.ts';
import { alternate } from '../pairs.ts';
import { startRedis } from '../redis.ts';
import { type Rate, ratioSamples, type Samples } from '../samples.ts';
import { startFastService } from '../service/fast-service.ts';
import { rateOfPeer, rateOfRun } from '../whole-process.ts';

/** Rows per second against the obvious program. */
export async function measureAgainstJobPerRow(bench: Bench): Promise<readonly Samples[]> {
  const service = await startFastService(bench);
  const pairs = await alternate(bench.options.sizes.rounds, {
    ours: () => rateOfRun(bench, service.url),
    theirs: () => rateOfJobPerRow(bench, service.url),
  });
  await service.stop();
  return [ratioSamples('job-per-row', pairs)];
}

async function rateOfJobPerRow(bench: Bench, serviceUrl: string): Promise<Rate> {
  const redis = await startRedis(bench);
  const rate = await rateOfPeer(bench, 'job-per-row', [serviceUrl, redis.url]);
  await redis.stop();
  return rate;
}
