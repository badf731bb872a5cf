import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  createServicePermits,
  type RunPermits,
  type ServicePermits,
} from '../../src/delivery/run-permits.ts';
import type { Reply } from '../../src/model/request.ts';
import { permitLine } from './permit-line.ts';

/** The permits of a process at a service that bears so many at once. */
function permitsUpTo(limit: () => number): ServicePermits {
  const fixed = {
    current: (ceiling: number) => Math.min(limit(), ceiling),
    hear: () => undefined,
  };
  return createServicePermits(() => 0, fixed);
}

const always = (limit: number) => permitsUpTo(() => limit);

type Terms = { readonly ceiling: number };

const join = (permits: ServicePermits, terms: Terms, stopping = new AbortController().signal) =>
  permits.join({ ...terms, stopping, rate: null });

/** A run that wants as many permits as it can have: each that it gets is noted in `order`. */
function hungry(permits: ServicePermits, name: string, terms: Terms, order: string[]): RunPermits {
  const share = join(permits, terms);
  const wait = permitLine(share);
  const ask = () => {
    wait((isTaken) => {
      if (!isTaken) return;
      order.push(name);
      ask();
    });
  };
  ask();
  return share;
}

const taken = (...shares: readonly RunPermits[]) => shares.reduce((sum, share) => sum + share.inUse(), 0);

const count = (order: readonly string[], name: string) => order.filter((one) => one === name).length;

describe('a run that is alone', () => {
  test('has all permits up to the limit, and takes them at once', () => {
    const share = join(always(3), { ceiling: 5 });
    expect([1, 2, 3, 4].map(share.tryTake)).toEqual([true, true, true, false]);
    expect(share.free()).toBe(0);
    share.release(null);
    expect(share.free()).toBe(1);
    expect([share.tryTake(), share.tryTake(), share.inUse()]).toEqual([true, false, 3]);
  });
});

describe('runs that share', () => {
  test('have as many permits as each other while all wait', () => {
    const permits = always(10);
    const order: string[] = [];
    const names = ['a', 'b', 'c'];
    const shares = names.map((name) => hungry(permits, name, { ceiling: 10 }, order));
    for (let n = 0; n < 2100; n += 1) shares.find((share) => share.inUse() > 0)?.release(null);
    // The first had all ten before the others came.
    for (const name of names) expect(Math.abs(count(order, name) - order.length / 3)).toBeLessThan(10);
  });

  test('leave the next permit to one that comes new, and the one after the next by turns', () => {
    const permits = always(4);
    const order: string[] = [];
    const big = hungry(permits, 'big', { ceiling: 4 }, order);
    for (let n = 0; n < 500; n += 1) big.release(null);
    const before = order.length;
    hungry(permits, 'small', { ceiling: 4 }, order);
    big.release(null);
    expect(order.slice(before)).toEqual(['small']);
  });

  test('have together what the one with the largest ceiling may have, as long as it is there', () => {
    const permits = always(100);
    const order: string[] = [];
    const wide = hungry(permits, 'wide', { ceiling: 6 }, order);
    const narrow = hungry(permits, 'narrow', { ceiling: 2 }, order);
    expect(taken(wide, narrow)).toBe(6);
    wide.leave();
    for (let n = 0; n < 6; n += 1) wide.release(null);
    expect([permits.limit(), wide.inUse(), narrow.inUse()]).toEqual([2, 0, 2]);
  });
});

describe('a run’s first row', () => {
  const WITHIN_MS = 500;
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  /** A run that comes when another one has the only permit, and two of whose rows wait. */
  function joinLate() {
    const permits = always(1);
    const other = join(permits, { ceiling: 1 });
    other.tryTake();
    const late = join(permits, { ceiling: 5 });
    const told: string[] = [];
    const wait = permitLine(late);
    for (const row of ['first', 'second']) wait((isTaken) => told.push(`${row} ${isTaken}`));
    return { other, late, told };
  }

  test('does not wait for a slow service: it goes beyond the limit, once', () => {
    const { other, late, told } = joinLate();
    vi.advanceTimersByTime(WITHIN_MS - 1);
    expect(told).toEqual([]);
    vi.advanceTimersByTime(60_000);
    expect([told, taken(other, late)]).toEqual([['first true'], 2]);
  });
});

const created: Reply = { kind: 'response', status: 200, retryAfterMs: null, body: '', ms: 5 };

test('a run contends for permits where others have them, and not where it has all that it may have', () => {
  const permits = createServicePermits(() => 0);
  const [run, other] = [join(permits, { ceiling: 3 }), join(permits, { ceiling: 2 })];
  for (let n = 0; n < 3; n += 1) run.tryTake();
  expect([run.isContested(), other.isContested()]).toEqual([false, true]);
  run.release(created);
  expect([run.isContested(), other.isContested()]).toEqual([false, false]);
});

test('one answer that says so halves the limit of all runs', () => {
  const permits = createServicePermits(() => 0);
  const run = join(permits, { ceiling: 40 });
  for (let n = 0; n < 40; n += 1) run.tryTake();
  run.release({ ...created, status: 429, retryAfterMs: 1000 });
  expect(permits.limit()).toBe(20);
});

type Step = { readonly run: number; readonly kind: 'ask' | 'release' | 'end'; readonly limit: number };
type Run = {
  readonly ceiling: number;
  readonly share: RunPermits;
  readonly wait: ReturnType<typeof permitLine>;
  readonly stop: AbortController;
  waiting: number;
};

const step: fc.Arbitrary<Step> = fc.record({
  run: fc.integer({ min: 0, max: 2 }),
  kind: fc.constantFrom('ask', 'ask', 'ask', 'ask', 'release', 'release', 'release', 'release', 'end'),
  limit: fc.integer({ min: 1, max: 6 }),
});
const ceilings = fc.tuple(...[1, 2, 3].map(() => fc.integer({ min: 1, max: 4 })));

function carryOut(kind: Step['kind'], run: Run): void {
  const { share } = run;
  if (kind === 'end') run.stop.abort();
  if (kind === 'release' && share.inUse() > 0) share.release(null);
  if (kind !== 'ask') return;
  run.waiting += 1;
  run.wait(() => {
    run.waiting -= 1;
  });
}

const takenBy = (runs: readonly Run[]) => taken(...runs.map(({ share }) => share));

function endAll(runs: readonly Run[]): void {
  for (const { stop } of runs) stop.abort();
  for (const { share } of runs) while (share.inUse() > 0) share.release(null);
}

test('whatever happens, no more than the limit and each ceiling are given, nobody waits where one is free, and all come back', () => {
  fc.assert(
    fc.property(ceilings, fc.array(step), (ceilings, steps) => {
      let limit = 3;
      const permits = permitsUpTo(() => limit);
      const runs: Run[] = ceilings.map((ceiling) => {
        const stop = new AbortController();
        const share = join(permits, { ceiling }, stop.signal);
        return { ceiling, stop, share, wait: permitLine(share), waiting: 0 };
      });
      for (const { run, kind, limit: next } of steps) {
        const before = takenBy(runs);
        limit = next;
        for (const one of runs.slice(run, run + 1)) carryOut(kind, one);
        expect(takenBy(runs)).toBeLessThanOrEqual(Math.max(permits.limit(), before));
        expect(runs.filter(({ share, ceiling }) => share.inUse() > ceiling)).toEqual([]);
        const isLeft = ({ share, ceiling, waiting }: Run) => waiting > 0 && share.inUse() < ceiling;
        // A limit that has risen is looked at with the next permit that is given back.
        const isLooked = kind === 'release' && takenBy(runs) < before;
        if (isLooked && takenBy(runs) < permits.limit()) expect(runs.filter(isLeft)).toEqual([]);
      }
      endAll(runs);
      expect([takenBy(runs), ...runs.map(({ waiting }) => waiting)]).toEqual([0, 0, 0, 0]);
    }),
  );
});

test('a run whose first row went beyond the limit takes no permit for a wish that is over', async () => {
  const { signal: stopping } = new AbortController();
  const permits = createServicePermits(() => performance.now(), { current: () => 1, hear: () => undefined });
  const other = permits.join({ ceiling: 9, stopping, rate: null });
  expect(other.tryTake()).toBe(true);
  const rate = {
    intervalMs: 1000,
    reserve: async () => ({ times: 1, inMs: 0 }),
    pause: async () => true,
    onTrouble: () => undefined,
  };
  const rated = permits.join({ ceiling: 9, stopping, rate });
  await new Promise<unknown>((resolve) => rated.want(1, resolve));
  expect([rated.tryTake(), permits.inUse()]).toEqual([true, 2]);
  rated.want(0, () => undefined);
  rated.release(null);
  other.release(null);
  expect(permits.inUse()).toBe(0);
});
