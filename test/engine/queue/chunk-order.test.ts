import { describe, expect, test } from 'vitest';
import {
  FIRST_PRIORITY,
  nextPriority,
  OPEN_CHUNKS_MAX,
  priorityAgain,
  priorityBefore,
} from '../../../src/engine/queue/chunk-order.ts';

/** BullMQ refuses a priority above it. */
const PRIORITY_LIMIT = 2 ** 21 - 1;

describe('a run that had nothing to send for a while', () => {
  test('has not collected turns by it', () => {
    expect(nextPriority({ virtualTime: 10_000, last: 500, open: 0 })).toBe(10_000);
  });

  test('and whose last priority is from before the queue was empty begins among the others', () => {
    const backlog = { virtualTime: FIRST_PRIORITY, last: 1_048_576, open: 2 };
    expect(nextPriority(backlog)).toBe(FIRST_PRIORITY + 3);
  });
});

test('a chunk behind one at the end of the numbers has a priority that BullMQ takes', () => {
  const backlog = { virtualTime: PRIORITY_LIMIT, last: PRIORITY_LIMIT, open: 3 };
  expect(nextPriority(backlog)).toBe(PRIORITY_LIMIT);
});

describe('chunks that come back', () => {
  test('are spread over as many turns as a run has open chunks, none before the next', () => {
    const open = Array.from({ length: OPEN_CHUNKS_MAX }, (_, i) => priorityAgain(1_000, 37 + i));
    expect(new Set(open).size).toBe(OPEN_CHUNKS_MAX);
    expect([Math.min(...open), Math.max(...open)]).toEqual([1_001, 1_064]);
  });

  test('have a priority that BullMQ takes, however often they come', () => {
    expect(priorityAgain(PRIORITY_LIMIT - 5, 63)).toBe(PRIORITY_LIMIT);
  });
});

test('what is brought forward goes before all, down to the first number that BullMQ takes', () => {
  expect([900, FIRST_PRIORITY, FIRST_PRIORITY - 1].map(priorityBefore)).toEqual([899, 1, 1]);
});
