import type { Bench } from '../bench.ts';
import { alternate } from '../pairs.ts';
import { ratioSamples, type Samples } from '../samples.ts';
import { startFastService } from '../service/fast-service.ts';
import { rateOfPeer, rateOfRun } from '../whole-process.ts';

/** Rows per second against a loop that records nothing. */
export async function measureAgainstBareLoop(bench: Bench): Promise<readonly Samples[]> {
  const service = await startFastService(bench);
  const pairs = await alternate(bench.options.sizes.rounds, {
    ours: () => rateOfRun(bench, service.url),
    theirs: () => rateOfPeer(bench, 'bare-loop', [service.url]),
  });
  await service.stop();
  return [ratioSamples('bare', pairs)];
}
