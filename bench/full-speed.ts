/**
 * `onboard run` at a service that answers at once: its rows per second and the CPU of a row, beside those of the programs that it is
 * compared with.
 */

import type { Bench } from './bench.ts';
import { rateOfPeer, rateOfRun } from './onboard.ts';
import { startRedis } from './redis.ts';
import { alternate, cpuSamples, type Rate, ratioSamples, type Samples } from './samples.ts';
import { type Service, startFastService } from './service/fast-service.ts';

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
