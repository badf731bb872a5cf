import { performance } from 'node:perf_hooks';
import { until } from '../../support/until.ts';

/** A random moment is what is wanted here: resolves that much later, or as soon as it is over. */
export async function momentLater(ms: number, isOver: () => boolean = () => false): Promise<void> {
  const at = performance.now() + ms;
  await until(() => performance.now() >= at || isOver());
}
