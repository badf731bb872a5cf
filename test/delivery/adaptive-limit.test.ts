import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAdaptiveLimit } from '../../src/delivery/adaptive-limit.ts';
import type { Reply } from '../../src/model/request.ts';
import { seededRandom } from '../../src/sandbox/faults.ts';

const MANY = 500;
const ANSWER_MS = 50;
const SECOND = 1000;

const reply = (status: number, ms = ANSWER_MS, retryAfterMs: number | null = null): Reply => ({
  kind: 'response',
  status,
  retryAfterMs,
  body: '',
  ms,
});
const refusal = reply(429);
/** Refused for what it asks: how long that took says nothing of other requests. */
const borne = (ms = ANSWER_MS) => reply(418, ms);

/** A limit that hears what one run is answered, on a clock of its own. */
function startLimit(ceiling = MANY) {
  const clock = { now: 0 };
  const process = { busy: 0 };
  const limit = createAdaptiveLimit(() => clock.now);
  const hear = limit.createHearing(() => process.busy);
  const current = () => limit.current(ceiling);
  return {
    current,
    process,
    limit,
    /** As many are in flight as may be, unless told otherwise. */
    hear: (answer: Reply, inFlight = current()) => hear(answer, inFlight, ceiling),
    pass(ms: number) {
      clock.now += ms;
    },
    /** Whole round trips of as many requests as there may be. */
    goRound(trips: number, answer = borne()) {
      for (let trip = 0; trip < trips; trip += 1) {
        clock.now += answer.ms;
        const requests = current();
        for (let n = 0; n < requests; n += 1) hear(answer, requests, ceiling);
      }
    },
    /** Far too many: every answer of the round trip says so. */
    refuseAll() {
      clock.now += 100;
      const inFlight = current();
      for (let n = 0; n < inFlight; n += 1) hear(refusal, inFlight - n, ceiling);
    },
  };
}

type Limit = ReturnType<typeof startLimit>;

/** After a second in which everything was refused. */
function beatenLimit(): Limit {
  const one = startLimit();
  for (let n = 1; n <= 10; n += 1) one.refuseAll();
  return one;
}

describe('without trouble', () => {
  test('it begins at the ceiling, or at 50 where that is more', () => {
    const { limit } = startLimit();
    expect([1, 20, 50, 51, 500].map(limit.current)).toEqual([1, 20, 50, 50, 50]);
  });

  test('it doubles while answers are seen to take no longer, up to the ceiling', () => {
    const one = startLimit(300);
    const seen = new Set<number>();
    for (let n = 0; n < 100; n += 1) {
      one.goRound(1, reply(200));
      seen.add(one.current());
    }
    expect([...seen]).toEqual([50, 100, 200, 300]);
  });
});

describe('trouble', () => {
  test('halves it where no round trip went well before, once for all requests of one round trip', () => {
    const one = startLimit();
    one.refuseAll();
    expect(one.current()).toBe(25);
    for (let n = 0; n < 100; n += 1) one.hear(reply(429, 80), 25);
    expect(one.current()).toBe(25);
  });

  test('takes a part of it where all went well before', () => {
    const one = startLimit();
    one.goRound(5);
    one.pass(ANSWER_MS);
    for (let n = 0; n < 4; n += 1) one.hear(refusal);
    expect(one.current()).toBe(42);
  });

  test.each([
    [1, 49],
    [5, 20],
  ])('of %i requests in a hundred is an accident: fewer would not help', (percent, least) => {
    const random = seededRandom(2);
    const one = startLimit(50);
    let sum = 0;
    for (let n = 1; n <= 20_000; n += 1) {
      one.pass(1);
      one.hear(random() * 100 < percent ? refusal : borne());
      sum += one.current();
    }
    expect(sum / 20_000).toBeGreaterThan(least);
  });

  test('that is over is over: a limit of one is a hundred within a dozen seconds', () => {
    const one = beatenLimit();
    expect(one.current()).toBe(1);
    one.goRound(240);
    expect(one.current()).toBeGreaterThan(100);
  });
});

type Part = {
  readonly seconds: number;
  /** What an answer takes, given the limit in force. */
  readonly takesMs: (limit: number, sinceMs: number) => number;
  readonly busy?: number;
  readonly inFlight?: number;
};

/** The limits that were in force during each part, of a run with a ceiling of 50 that is answered every 5 ms. */
const limitsOf = (...parts: readonly Part[]) => limitsBelow(50, ...parts);

function limitsBelow(ceiling: number, ...parts: readonly Part[]): number[][] {
  const one = startLimit(ceiling);
  return parts.map(({ seconds, takesMs, busy = 0, inFlight }) => {
    one.process.busy = busy;
    const seen: number[] = [];
    for (let ms = 0; ms < seconds * SECOND; ms += 5) {
      one.pass(5);
      one.hear(reply(200, takesMs(one.current(), ms)), inFlight);
      seen.push(one.current());
    }
    return seen;
  });
}

const least = (limits: readonly number[] = []) => Math.min(...limits);
const constant = (seconds: number, ms: number, over: Partial<Part> = {}): Part => {
  return { seconds, takesMs: () => ms, ...over };
};

describe('answers that take longer', () => {
  test('the more are in flight leave as many as are answered as quickly as before', () => {
    // As of a service that works on 25 at once.
    const queueing: Part = { seconds: 3, takesMs: (limit) => 100 * Math.max(1, limit / 25) };
    const [well, slow] = limitsOf(constant(3, 100), queueing);
    expect(least(well)).toBe(50);
    expect(least(slow)).toBeGreaterThan(18);
    expect(slow?.at(-1)).toBeLessThanOrEqual(25);
  });

  test('however few are in flight give the limit back, and from then on that is usual', () => {
    const [, slow, later] = limitsOf(constant(3, 100), constant(5, 200), constant(30, 200));
    expect([least(slow) < 30, slow?.at(-1), least(later)]).toEqual([true, 50, 50]);
  });

  test.each<[string, Part]>([
    ['by little', constant(10, 165)],
    ['for a moment in which this process stood still', constant(0.5, 550)],
    ['with fewer requests than there may be', constant(5, 500, { inFlight: 30 })],
    ['while this process is at work all the time, and late by itself', constant(10, 500, { busy: 0.95 })],
  ])('%s change nothing', (_, part) => {
    const limits = limitsOf(constant(3, 100), part, constant(3, 100));
    expect(limits.map(least)).toEqual([50, 50, 50]);
  });
});

const answer: fc.Arbitrary<Reply> = fc
  .record({
    status: fc.constantFrom(200, 200, 200, 418, 429, 503, 500),
    ms: fc.integer({ min: 0, max: 30_000 }),
    afterMs: fc.constantFrom(null, SECOND),
  })
  .map(({ status, ms, afterMs }) => reply(status, ms, afterMs));

test('whatever it is told, it is a whole number from 1 to the ceiling', () => {
  const steps = fc.array(fc.tuple(answer, fc.integer({ min: 0, max: 2000 })), { maxLength: 300 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), steps, (ceiling, steps) => {
      const one = startLimit(ceiling);
      for (const [answer, ms] of steps) {
        one.pass(ms);
        one.hear(answer);
        const current = one.current();
        expect(Number.isInteger(current) && current >= 1 && current <= ceiling).toBe(true);
      }
    }),
  );
});

test('whatever happened before, it is back at the ceiling when there has been no trouble for a minute', () => {
  const steps = fc.array(answer, { maxLength: 100 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200 }), steps, (ceiling, steps) => {
      const one = startLimit(ceiling);
      for (const answer of steps) {
        one.pass(100);
        one.hear(answer);
      }
      one.goRound(1200, reply(200));
      expect(one.current()).toBe(ceiling);
    }),
    { numRuns: 40 },
  );
});
