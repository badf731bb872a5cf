import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLatencyTrend, type Trend } from '../../src/delivery/latency-trend.ts';
import { seededRandom } from '../../src/sandbox/faults.ts';

type Phase = {
  readonly seconds: number;
  /** `isCut`: it was told that it is slowed. */
  readonly tookMs: (now: number, isCut: boolean) => number;
  readonly inFlight?: number;
  readonly busy?: number;
  readonly isUsed?: boolean;
};

/** What is told of answers that come every 5 ms, phase by phase; a run of equals is told once. */
function toldOf(...phases: readonly Phase[]): string[][] {
  let share = 0;
  const trend = createLatencyTrend(() => share);
  let now = 0;
  let isCut = false;
  return phases.map(({ seconds, tookMs, inFlight = 20, busy = 0, isUsed = true }) => {
    share = busy;
    const told: Trend[] = [];
    for (const until = now + seconds * 1000; now < until; now += 5) {
      const one = trend.answered({ now, tookMs: tookMs(now, isCut), inFlight, isUsed });
      if (one !== null) told.push(one);
      isCut ||= one?.kind === 'slowed';
    }
    return told.map(wordOf).filter((word, i, all) => word !== all[i - 1]);
  });
}

function wordOf(trend: Trend): string {
  return trend.kind === 'slowed' ? `slowed ${trend.share.toFixed(2)}` : trend.kind;
}

const trouble = (words: readonly string[] = []) => words.filter((word) => word !== 'steady');

/** Answers that all take as long. */
const phase = (seconds: number, ms: number, over: Partial<Phase> = {}): Phase => ({
  seconds,
  tookMs: () => ms,
  ...over,
});

describe('a service whose answers take longer', () => {
  test('than half as long again is slowed, and the share that would not be is told with some headroom', () => {
    const [well, slow] = toldOf(phase(3, 100), phase(1.4, 200));
    expect([well, trouble(slow)]).toEqual([['steady'], ['slowed 0.45']]);
  });

  test('than that by little is steady', () => {
    const told = toldOf(phase(3, 100), phase(10, 165));
    expect(told).toEqual([['steady'], ['steady']]);
  });

  test('by milliseconds only is steady, however many times as long it is', () => {
    const told = toldOf(phase(3, 2), phase(10, 20));
    expect(told).toEqual([['steady'], ['steady']]);
  });

  test('and that fewer requests make quicker again is left alone', () => {
    const told = toldOf(phase(3, 100), { seconds: 5, tookMs: (_, isCut) => (isCut ? 100 : 200) });
    expect(told.map(trouble)).toEqual([[], ['slowed 0.45']]);
  });

  test('whatever is asked of it is not ours to mend: it is told once, and from then on that is usual', () => {
    const told = toldOf(phase(3, 100), phase(4, 200), phase(30, 200));
    expect(told.map(trouble)).toEqual([[], ['slowed 0.45', 'not-ours'], []]);
  });

  test('from the beginning is measured by its first answers', () => {
    // The first ones find it idle, the next wait for them.
    const [told] = toldOf({ seconds: 2, tookMs: (now) => (now < 40 ? 50 : 200) });
    expect(trouble(told)).toEqual(['slowed 0.25', 'not-ours']);
  });

  test('with fewer requests than there may be is slow for reasons of its own', () => {
    const told = toldOf(phase(3, 100), phase(5, 500, { isUsed: false }), phase(3, 100));
    expect(told.map(trouble)).toEqual([[], [], []]);
  });

  test('of one request at a time has nothing that could be fewer', () => {
    const told = toldOf(phase(3, 100, { inFlight: 1 }), phase(3, 500, { inFlight: 1 }));
    expect(told.map(trouble)).toEqual([[], []]);
  });
});

describe('what is no sign of the service', () => {
  test('a moment in which this process stood still', () => {
    // All answers of half a second come at its end, and the next ones were held up too.
    const told = toldOf(phase(3, 50), phase(0.5, 550), phase(3, 50));
    expect(trouble(told.flat())).toEqual([]);
  });

  test('a process that is at work all the time, and late by itself', () => {
    const told = toldOf(phase(3, 50), phase(10, 500, { busy: 0.95 }), phase(3, 50));
    expect(trouble(told.flat())).toEqual([]);
  });
});

test('answers that vary by a third, as those of a service do, are steady', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 5, max: 400 }), (seed, ms) => {
      const random = seededRandom(seed);
      const [told = []] = toldOf({ seconds: 60, tookMs: () => ms * (0.67 + 0.66 * random()) });
      expect(told.filter((word) => word.startsWith('slowed')).length).toBeLessThanOrEqual(1);
    }),
    { numRuns: 30 },
  );
});
