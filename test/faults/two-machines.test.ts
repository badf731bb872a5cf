import { test } from 'vitest';
import { HAS_CONTAINERS, killedContainer, secondContainer } from './scenarios/two-machines.ts';

// In one test, since each waits 20 s to see that the lease of a container stands still, or does not.
test.runIf(HAS_CONTAINERS)(
  'of containers on one home a second one is refused, and one that is killed and started again goes on by itself, once where it is started twice',
  async () => {
    await Promise.all([secondContainer(), killedContainer({ rows: 1_000 })]);
  },
  180_000,
);
