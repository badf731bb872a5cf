import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AdaptiveLimit, createAdaptiveLimit } from '../../src/delivery/adaptive-limit.ts';

const MANY = 500;

/** Whole round trips of as many requests as there may be, each `ms` long; answers the time after them. */
function goRound(
  limit: AdaptiveLimit,
  options: { readonly from: number; readonly trips: number; readonly ms?: number; readonly ceiling?: number },
): number {
  const { from, trips, ms = 50, ceiling = MANY } = options;
  let now = from;
  for (let trip = 0; trip < trips; trip += 1) {
    now += ms;
    const requests = limit.current(ceiling);
    for (let n = 0; n < requests; n += 1) limit.answered({ now, tookMs: ms, isUsed: n === 0, ceiling });
  }
  return now;
}

type Overload = Parameters<AdaptiveLimit['overloaded']>[0];

/** One request too many, with 50 in flight, unless told otherwise. */
const overload = (limit: AdaptiveLimit, now: number, over: Partial<Overload> = {}) =>
  limit.overloaded({ now, tookMs: 50, inFlight: 50, isNamed: false, ceiling: MANY, ...over });

/** Far too many: every answer of the round trip says so. */
function refuseAll(limit: AdaptiveLimit, now: number): void {
  const inFlight = limit.current(MANY);
  for (let n = 0; n < inFlight; n += 1) overload(limit, now + n / 100, { inFlight: inFlight - n });
}

/** After a second in which everything was refused. */
function beatenLimit(): AdaptiveLimit {
  const limit = createAdaptiveLimit();
  for (let n = 1; n <= 10; n += 1) refuseAll(limit, n * 100);
  return limit;
}

describe('without trouble', () => {
  test('it begins at the ceiling, or at 50 where that is more', () => {
    const limit = createAdaptiveLimit();
    expect([1, 20, 50, 51, 500].map(limit.current)).toEqual([1, 20, 50, 50, 50]);
  });

  test('it may double each time that answers are seen to take no longer, up to the ceiling', () => {
    const limit = createAdaptiveLimit();
    const seen = [];
    let now = 0;
    for (let n = 0; n < 4; n += 1) {
      now = goRound(limit, { from: now, trips: 5, ceiling: 300 });
      seen.push(limit.current(300));
      limit.steady();
    }
    expect(seen).toEqual([50, 100, 200, 300]);
  });

  test('it does not grow where it is not reached', () => {
    const limit = createAdaptiveLimit();
    limit.steady();
    for (let n = 1; n <= 1000; n += 1)
      limit.answered({ now: n * 10, tookMs: 50, isUsed: false, ceiling: MANY });
    expect(limit.current(MANY)).toBe(50);
  });
});

describe('trouble', () => {
  test('halves it where no round trip went well before, once for all requests of one round trip', () => {
    const limit = createAdaptiveLimit();
    refuseAll(limit, 50);
    // Four in a row are no accident: 47 were in flight then.
    expect(limit.current(MANY)).toBe(23);
    for (let n = 0; n < 100; n += 1) overload(limit, 60 + n / 2, { tookMs: 80, inFlight: 23 });
    expect(limit.current(MANY)).toBe(23);
  });

  test('takes a fifth where all went well before', () => {
    const limit = createAdaptiveLimit();
    const now = goRound(limit, { from: 0, trips: 5 });
    for (let n = 0; n < 4; n += 1) overload(limit, now + 50);
    expect(limit.current(MANY)).toBe(40);
  });

  test('counts at once where everybody has to wait for it', () => {
    const limit = createAdaptiveLimit();
    overload(limit, 50, { inFlight: 40, isNamed: true });
    expect(limit.current(MANY)).toBe(20);
  });

  test('does not where as many were borne for several round trips: the service has its own reasons then', () => {
    const limit = createAdaptiveLimit();
    const now = goRound(limit, { from: 0, trips: 5 });
    overload(limit, now + 50, { isNamed: true });
    expect(limit.current(MANY)).toBe(50);
    // Right after it there is another one.
    overload(limit, now + 60, { isNamed: true });
    expect(limit.current(MANY)).toBe(45);
  });

  test('is measured by the requests in flight, not by a limit that was not reached', () => {
    const limit = createAdaptiveLimit();
    overload(limit, 50, { inFlight: 10, isNamed: true });
    expect(limit.current(MANY)).toBe(5);
  });

  test('of one request in a hundred is an accident: less would not help', () => {
    const limit = createAdaptiveLimit();
    for (let n = 1; n <= 20_000; n += 1) {
      const heard = { now: 50 + n, tookMs: 50 };
      if (n % 100 === 0) overload(limit, heard.now);
      else limit.answered({ ...heard, isUsed: true, ceiling: 50 });
    }
    expect(limit.current(50)).toBe(50);
  });

  test('comes back, slowly, where it was met before, and then the limit grows ever faster', () => {
    const limit = createAdaptiveLimit();
    let now = goRound(limit, { from: 0, trips: 4 });
    for (let n = 0; n < 4; n += 1) overload(limit, now + 50);
    now += 50;
    const seconds = [1, 2, 3, 4, 5, 6, 7].map(() => {
      now = goRound(limit, { from: now, trips: 20 });
      return limit.current(MANY);
    });
    expect(seconds).toEqual([46, 48, 49, 49, 53, 61, 78]);
  });

  test('that is over is over: a limit of one is a hundred within a dozen seconds', () => {
    const limit = beatenLimit();
    expect(limit.current(MANY)).toBe(1);
    goRound(limit, { from: 1100, trips: 240 });
    expect(limit.current(MANY)).toBeGreaterThan(100);
  });

  test('of long ago is forgotten', () => {
    const limit = beatenLimit();
    limit.answered({ now: 70_000, tookMs: 50, isUsed: true, ceiling: MANY });
    expect(limit.current(MANY)).toBeGreaterThanOrEqual(50);
  });

  test('is not forgotten while a request takes long', () => {
    const limit = beatenLimit();
    limit.answered({ now: 100_000, tookMs: 99_000, isUsed: true, ceiling: MANY });
    expect(limit.current(MANY)).toBeLessThan(5);
  });
});

describe('answers that take longer', () => {
  test('leave the share that was told', () => {
    const limit = createAdaptiveLimit();
    limit.slowed({ now: 1000, inFlight: 50, share: 0.5 });
    expect(limit.current(MANY)).toBe(25);
  });

  test('that fewer requests don’t make shorter give it back', () => {
    const limit = createAdaptiveLimit();
    limit.slowed({ now: 1000, inFlight: 50, share: 0.5 });
    limit.restored();
    expect(limit.current(MANY)).toBe(50);
  });

  test('give nothing back where there was other trouble meanwhile', () => {
    const limit = createAdaptiveLimit();
    limit.slowed({ now: 1000, inFlight: 50, share: 0.5 });
    overload(limit, 1100, { inFlight: 25, isNamed: true });
    limit.restored();
    expect(limit.current(MANY)).toBe(12);
  });
});

type Told =
  | { readonly kind: 'answered' | 'named' | 'refused'; readonly tookMs: number }
  | { readonly kind: 'steady' | 'restored' }
  | { readonly kind: 'slowed'; readonly share: number };

const told: fc.Arbitrary<Told> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('answered' as const, 'answered' as const, 'named' as const, 'refused' as const),
    tookMs: fc.integer({ min: 0, max: 30_000 }),
  }),
  fc.record({ kind: fc.constantFrom('steady' as const, 'restored' as const) }),
  fc.record({ kind: fc.constant('slowed' as const), share: fc.double({ min: 0.01, max: 1, noNaN: true }) }),
);

function tell(
  limit: AdaptiveLimit,
  what: Told,
  at: { readonly now: number; readonly ceiling: number },
): void {
  const { now, ceiling } = at;
  const inFlight = limit.current(ceiling);
  switch (what.kind) {
    case 'answered':
      limit.answered({ now, tookMs: what.tookMs, isUsed: true, ceiling });
      break;
    case 'named':
    case 'refused':
      limit.overloaded({ now, tookMs: what.tookMs, inFlight, isNamed: what.kind === 'named', ceiling });
      break;
    case 'slowed':
      limit.slowed({ now, inFlight, share: what.share });
      break;
    case 'steady':
      limit.steady();
      break;
    case 'restored':
      limit.restored();
      break;
    default:
      what satisfies never;
  }
}

test('whatever it is told, it is a whole number from 1 to the ceiling', () => {
  const steps = fc.array(fc.tuple(told, fc.integer({ min: 0, max: 2000 })), { maxLength: 300 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), steps, (ceiling, told) => {
      const limit = createAdaptiveLimit();
      let now = 0;
      for (const [what, ms] of told) {
        now += ms;
        tell(limit, what, { now, ceiling });
        const current = limit.current(ceiling);
        expect(Number.isInteger(current) && current >= 1 && current <= ceiling).toBe(true);
      }
    }),
  );
});

test('whatever happened before, it is back at the ceiling when there has been no trouble for a minute', () => {
  const steps = fc.array(told, { maxLength: 100 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200 }), steps, (ceiling, told) => {
      const limit = createAdaptiveLimit();
      let now = 0;
      for (const what of told) {
        now += 100;
        tell(limit, what, { now, ceiling });
      }
      for (let n = 0; n < 40; n += 1) {
        now = goRound(limit, { from: now, trips: 30, ceiling });
        limit.steady();
      }
      expect(limit.current(ceiling)).toBe(ceiling);
    }),
    { numRuns: 40 },
  );
});
