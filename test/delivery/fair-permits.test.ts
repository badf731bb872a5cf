import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createFairPermits,
  type FairPermits,
  type PermitShare,
  type PermitTerms,
} from '../../src/delivery/fair-permits.ts';
import { deferred } from '../support/deferred.ts';

const always = (limit: number) => ({ limit: (ceiling: number) => Math.min(limit, ceiling) });

/** A run that wants as many permits as it can have: each that it gets is noted in `order`. */
function hungry(permits: FairPermits, name: string, terms: PermitTerms, order: string[]): PermitShare {
  const share = permits.join(terms);
  const ask = () => {
    share.wait((isTaken) => {
      if (!isTaken) return;
      order.push(name);
      ask();
    }, false);
  };
  ask();
  return share;
}

const count = (order: readonly string[], name: string) => order.filter((one) => one === name).length;

describe('a run that is alone', () => {
  test('has all permits up to the limit, and takes them at once', () => {
    const share = createFairPermits(always(3)).join({ ceiling: 5, weight: 1 });
    expect([1, 2, 3, 4].map(share.tryTake)).toEqual([true, true, true, false]);
    expect(share.free()).toBe(0);
    share.release();
    expect(share.free()).toBe(1);
    expect([share.tryTake(), share.tryTake(), share.taken()]).toEqual([true, false, 3]);
  });

  test('has no more than its own ceiling', () => {
    const permits = createFairPermits(always(100));
    const share = permits.join({ ceiling: 2, weight: 1 });
    permits.join({ ceiling: 50, weight: 1 });
    expect([1, 2, 3].map(share.tryTake)).toEqual([true, true, false]);
  });

  test('is served in the order in which its rows came, one that is tried again before them', () => {
    const share = createFairPermits(always(1)).join({ ceiling: 1, weight: 1 });
    share.tryTake();
    const order: string[] = [];
    for (const name of ['a', 'b']) share.wait(() => order.push(name), false);
    share.wait(() => order.push('again'), true);
    for (let n = 0; n < 3; n += 1) share.release();
    expect(order).toEqual(['again', 'a', 'b']);
  });
});

describe('runs that share', () => {
  test('have permits by their weights while all wait', () => {
    const permits = createFairPermits(always(10));
    const order: string[] = [];
    const weights = { low: 1, normal: 4, high: 16 };
    const shares = Object.entries(weights).map(([name, weight]) =>
      hungry(permits, name, { ceiling: 10, weight }, order),
    );
    for (let n = 0; n < 2100; n += 1) shares.find((share) => share.taken() > 0)?.release();
    const [low, normal, high] = Object.keys(weights).map((name) => count(order, name) / order.length);
    expect([low, normal, high].map((share = 0) => share * 21)).toEqual([
      expect.closeTo(1, 0),
      expect.closeTo(4, 0),
      expect.closeTo(16, 0),
    ]);
  });

  test('leave the next permit to one that comes new, and the one after the next by turns', () => {
    const permits = createFairPermits(always(4));
    const order: string[] = [];
    const big = hungry(permits, 'big', { ceiling: 4, weight: 16 }, order);
    for (let n = 0; n < 500; n += 1) big.release();
    const before = order.length;
    hungry(permits, 'small', { ceiling: 4, weight: 1 }, order);
    big.release();
    expect(order.slice(before)).toEqual(['small']);
  });

  test('make up for nothing: who wanted nothing has no claim for it later', () => {
    const permits = createFairPermits(always(2));
    const order: string[] = [];
    const late = permits.join({ ceiling: 2, weight: 1 });
    const early = hungry(permits, 'early', { ceiling: 2, weight: 1 }, order);
    for (let n = 0; n < 100; n += 1) early.release();
    const before = order.length;
    const ask = () => late.wait((isTaken) => void (isTaken && order.push('late') && ask()), false);
    ask();
    for (let n = 0; n < 10; n += 1) (late.taken() > 0 && n % 2 === 0 ? late : early).release();
    expect(Math.abs(count(order.slice(before), 'late') - count(order.slice(before), 'early'))).toBeLessThan(
      3,
    );
  });

  test('don’t wait for one that is at its own ceiling', () => {
    const permits = createFairPermits(always(10));
    const order: string[] = [];
    hungry(permits, 'narrow', { ceiling: 1, weight: 16 }, order);
    hungry(permits, 'wide', { ceiling: 10, weight: 1 }, order);
    expect([count(order, 'narrow'), count(order, 'wide')]).toEqual([1, 9]);
  });

  test('have together what the one with the largest ceiling may have, as long as it is there', () => {
    const permits = createFairPermits(always(100));
    const order: string[] = [];
    const wide = hungry(permits, 'wide', { ceiling: 6, weight: 1 }, order);
    const narrow = hungry(permits, 'narrow', { ceiling: 2, weight: 1 }, order);
    expect(permits.taken()).toBe(6);
    wide.leave();
    for (let n = 0; n < 6; n += 1) wide.release();
    expect([permits.ceiling(), permits.taken(), narrow.taken()]).toEqual([2, 2, 2]);
  });
});

describe('a limit that changes', () => {
  test('gives no permit away until as many are back as are too many', () => {
    let limit = 4;
    const permits = createFairPermits({ limit: () => limit });
    const order: string[] = [];
    const share = hungry(permits, 'a', { ceiling: 4, weight: 1 }, order);
    limit = 2;
    share.release();
    share.release();
    expect([permits.taken(), order.length]).toEqual([2, 4]);
    share.release();
    expect([permits.taken(), order.length]).toEqual([2, 5]);
  });

  test('that is higher serves all who wait at the next release', () => {
    let limit = 1;
    const permits = createFairPermits({ limit: () => limit });
    const order: string[] = [];
    const share = hungry(permits, 'a', { ceiling: 9, weight: 1 }, order);
    limit = 5;
    share.release();
    expect(permits.taken()).toBe(5);
  });
});

describe('a run’s first row', () => {
  test('does not wait for a slow service: it goes beyond the limit, once', async () => {
    const permits = createFairPermits({ ...always(1), firstWithinMs: 20 });
    permits.join({ ceiling: 1, weight: 1 }).tryTake();
    const late = permits.join({ ceiling: 5, weight: 1 });
    const first = deferred<boolean>();
    const second: boolean[] = [];
    late.wait(first.resolve, false);
    late.wait((isTaken) => second.push(isTaken), false);
    expect(await first.promise).toBe(true);
    expect([permits.taken(), late.taken(), second]).toEqual([2, 1, []]);
  });

  test('that was served in time is not served again by that', async () => {
    const permits = createFairPermits({ ...always(1), firstWithinMs: 20 });
    const other = permits.join({ ceiling: 1, weight: 1 });
    other.tryTake();
    const late = permits.join({ ceiling: 5, weight: 1 });
    const witness = permits.join({ ceiling: 5, weight: 1 });
    late.wait(() => undefined, false);
    other.release();
    late.wait(() => undefined, false);
    const seen = deferred<boolean>();
    witness.wait(seen.resolve, false);
    await seen.promise;
    expect([late.taken(), witness.taken()]).toEqual([1, 1]);
  });
});

describe('a run that ends', () => {
  test('tells all who wait for it, and those who come later at once', () => {
    const permits = createFairPermits(always(1));
    const share = permits.join({ ceiling: 1, weight: 1 });
    share.tryTake();
    const told: boolean[] = [];
    const tell = (isTaken: boolean) => told.push(isTaken);
    for (let n = 0; n < 3; n += 1) share.wait(tell, false);
    share.giveUp();
    share.leave();
    share.wait(tell, false);
    expect(told).toEqual([false, false, false, false]);
    share.release();
    expect(permits.taken()).toBe(0);
  });
});

type Step = { readonly run: number; readonly kind: 'ask' | 'release' | 'give-up'; readonly limit: number };
type Run = { readonly ceiling: number; readonly share: PermitShare; waiting: number };

const step: fc.Arbitrary<Step> = fc.record({
  run: fc.integer({ min: 0, max: 2 }),
  kind: fc.constantFrom('ask', 'ask', 'release', 'release', 'give-up'),
  limit: fc.integer({ min: 1, max: 6 }),
});
const ceilings = fc.tuple(...[1, 2, 3].map(() => fc.integer({ min: 1, max: 4 })));

function carryOut(kind: Step['kind'], run: Run): void {
  const { share } = run;
  if (kind === 'give-up') share.giveUp();
  if (kind === 'release' && share.taken() > 0) share.release();
  if (kind !== 'ask') return;
  run.waiting += 1;
  share.wait(() => {
    run.waiting -= 1;
  }, false);
}

function taken(runs: readonly Run[]): number {
  return runs.reduce((sum, { share }) => sum + share.taken(), 0);
}

function endAll(runs: readonly Run[]): void {
  for (const { share } of runs) share.giveUp();
  for (const { share } of runs) while (share.taken() > 0) share.release();
}

test('whatever happens, no more than the limit and each ceiling are given, nobody waits where one is free, and all come back', () => {
  fc.assert(
    fc.property(ceilings, fc.array(step), (ceilings, steps) => {
      let limit = 3;
      const permits = createFairPermits({ limit: () => limit });
      const runs: Run[] = ceilings.map((ceiling, i) => {
        return { ceiling, share: permits.join({ ceiling, weight: i + 1 }), waiting: 0 };
      });
      for (const { run, kind, limit: next } of steps) {
        const before = permits.taken();
        limit = next;
        for (const one of runs.slice(run, run + 1)) carryOut(kind, one);
        expect(permits.taken()).toBeLessThanOrEqual(Math.max(limit, before));
        expect(permits.taken()).toBe(taken(runs));
        expect(runs.filter(({ share, ceiling }) => share.taken() > ceiling)).toEqual([]);
        const isLeft = ({ share, ceiling, waiting }: Run) => waiting > 0 && share.taken() < ceiling;
        // A limit that has risen is looked at with the next permit that is asked for or given back.
        if (kind === 'ask' && permits.taken() < limit) expect(runs.filter(isLeft)).toEqual([]);
      }
      endAll(runs);
      expect([permits.taken(), ...runs.map(({ waiting }) => waiting)]).toEqual([0, 0, 0, 0]);
    }),
  );
});
