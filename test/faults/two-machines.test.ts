import { test } from 'vitest';
import { HAS_CONTAINERS, secondContainer } from './scenarios/two-machines.ts';

test.runIf(HAS_CONTAINERS)(
  'a second container on the same home is refused, however long its path is',
  async () => {
    await secondContainer();
  },
);
