import type { Bench } from '../bench.ts';
import { alternate } from '../pairs.ts';
import { ratioSamples, type Samples } from '../samples.ts';
import { rateOfCheck, rateOfPeer } from '../whole-process.ts';

/** Rows per second of `onboard check` against csv-parse making objects of them. */
export async function measureCheck(bench: Bench): Promise<readonly Samples[]> {
  const pairs = await alternate(bench.options.sizes.rounds, {
    ours: () => rateOfCheck(bench),
    theirs: () => rateOfPeer(bench, 'csv-objects', []),
  });
  return [ratioSamples('check', pairs)];
}
