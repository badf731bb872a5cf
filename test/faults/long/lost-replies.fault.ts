import { expect, test } from 'vitest';
import { lostEnqueues, lostFetches } from '../scenarios/lost-replies.ts';
import { SEED, shareOf } from '../support/seed.ts';

const ENQUEUES = shareOf(50);

test(`${ENQUEUES} times the reply to an enqueue is lost (seed ${SEED})`, async () => {
  const { lost } = await lostEnqueues({ enqueues: ENQUEUES, seed: SEED });
  expect(lost).toBe(ENQUEUES);
});

test.each([
  ['chunk', 3],
  ['marker', 1],
] as const)('the fetch of the only chunk loses its %s, times: %i', async (fetch, times) => {
  const { lost } = await lostFetches({ fetch, times });
  expect(lost).toBe(times);
});
