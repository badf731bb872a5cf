import { describe, expect, test } from 'vitest';
import { createServicePermits } from '../../src/delivery/run-permits.ts';
import type { Reply } from '../../src/model/request.ts';
import { seededRandom } from '../../src/sandbox/faults.ts';
import { refusingService, simulate } from './simulate-service.ts';

const SECOND = 1000;
const quick = { answerMs: () => 50 };

describe('a service that refuses what is too much', () => {
  test.each([5, 20, 80])('of %i at once is asked about as much, and refuses little', (atOnce) => {
    const service = refusingService(50, () => atOnce);
    const run = simulate({ ceiling: 100, forMs: 30 * SECOND, service });
    const mean = run.meanInFlight(5 * SECOND);
    expect(mean).toBeGreaterThan(0.85 * atOnce);
    expect(mean).toBeLessThan(1.15 * atOnce);
    expect(run.refused / run.carriedOut).toBeLessThan(0.08);
  });

  test.each([
    [5, 0.4],
    [20, 0.3],
    [80, 0.25],
  ])('of %i at once, and has everybody wait a second for it, is seldom asked too much', (atOnce, share) => {
    const service = refusingService(50, () => atOnce);
    const run = simulate({ ceiling: 100, forMs: 60 * SECOND, service, retryAfterMs: SECOND });
    expect(run.heldShare).toBeLessThan(share);
    expect(run.carriedOut / (60 * 20 * atOnce * (1 - run.heldShare))).toBeGreaterThan(0.8);
  });

  test('one request in five hundred for reasons of its own, and has everybody wait, is not asked one at a time', () => {
    const random = seededRandom(3);
    const service = { answerMs: () => (random() < 0.002 ? null : 50) };
    const run = simulate({ ceiling: 50, forMs: 60 * SECOND, service, retryAfterMs: SECOND });
    expect(Math.min(...run.limits)).toBeGreaterThan(12);
  });

  test('at some time more is asked more', () => {
    const service = refusingService(50, (now) => (now < 10 * SECOND ? 20 : 80));
    const run = simulate({ ceiling: 100, forMs: 30 * SECOND, service });
    expect(run.meanInFlight(5 * SECOND, 10 * SECOND)).toBeLessThan(1.5 * 20);
    expect(run.meanInFlight(20 * SECOND)).toBeGreaterThan(0.85 * 80);
  });

  test('at some time less is asked less, within seconds', () => {
    const service = refusingService(50, (now) => (now < 10 * SECOND ? 80 : 10));
    const run = simulate({ ceiling: 100, forMs: 20 * SECOND, service });
    expect(run.meanInFlight(12 * SECOND)).toBeLessThan(1.5 * 10);
    expect(run.refused / run.carriedOut).toBeLessThan(0.08);
  });

  test('one request in a hundred, for reasons of its own, is asked as much as ever', () => {
    const random = seededRandom(3);
    const service = { answerMs: () => (random() < 0.01 ? null : 50) };
    const run = simulate({ ceiling: 50, forMs: 20 * SECOND, service });
    expect(run.meanInFlight(SECOND)).toBeGreaterThan(0.97 * 50);
  });
});

describe('a service without trouble', () => {
  test('that answers in 50 ms does 1,000 a second with 50 in flight', () => {
    const { carriedOut } = simulate({ ceiling: 50, forMs: 10 * SECOND, service: quick });
    expect(carriedOut / (10 * 1000)).toBeGreaterThan(0.97);
  });

  test('of hundreds at once is found to be one within seconds', () => {
    const run = simulate({ ceiling: 400, forMs: 5 * SECOND, service: quick });
    expect(run.limits.at(-1)).toBe(400);
  });

  test('that is asked little keeps what is known of it', () => {
    const run = simulate({ ceiling: 400, forMs: 5 * SECOND, service: quick, demand: () => 10 });
    expect(Math.max(...run.limits)).toBe(50);
  });
});

const created: Reply = { kind: 'response', status: 200, retryAfterMs: null, body: '', ms: 5 };

describe('a run', () => {
  const join = (over: Partial<Parameters<ReturnType<typeof createServicePermits>['join']>[0]> = {}) => {
    const stop = new AbortController();
    const service = createServicePermits({ now: () => 0 });
    const terms = { ceiling: 1, stopping: stop.signal, rate: null, ...over };
    return { stop, service, permits: service.join(terms) };
  };

  test('contends for permits where others have them, and not where it has all that it may have', () => {
    const { service, permits } = join({ ceiling: 3 });
    for (let n = 0; n < 3; n += 1) permits.tryTake();
    const other = service.join({ ceiling: 2, stopping: new AbortController().signal, rate: null });
    expect([permits.isContested(), other.isContested()]).toEqual([false, true]);
    permits.release(created);
    expect([permits.isContested(), other.isContested()]).toEqual([false, false]);
  });

  test('hears that it was one too many for all runs', () => {
    const { service, permits } = join({ ceiling: 40 });
    for (let n = 0; n < 40; n += 1) permits.tryTake();
    permits.release({ ...created, status: 429, retryAfterMs: 1000 });
    expect(service.limit()).toBe(20);
  });
});
