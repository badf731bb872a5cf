import { describe, test } from 'vitest';
import { HAS_CONTAINERS, killedContainer, secondContainer } from './scenarios/two-machines.ts';

describe.runIf(HAS_CONTAINERS)('containers on one home', () => {
  test('a second one is refused', () => secondContainer());

  test(
    'one that is killed and started again goes on by itself, once where it is started twice',
    () => killedContainer({ rows: 1_000 }),
    180_000,
  );
});
