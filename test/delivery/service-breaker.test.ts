import { expect, test } from 'vitest';
import { type AttemptFailure, createServiceBreaker } from '../../src/delivery/service-breaker.ts';
import type { SharedBreaker } from '../../src/engine/ledger/breaker.ts';
import { deferred } from '../support/deferred.ts';

type Told = Parameters<SharedBreaker['failed']>[0];

const CAUSE = 'The connection was lost.';
const NO_ANSWER: AttemptFailure = {
  mark: 'i me.1 1.1',
  status: null,
  afterMs: null,
  isReached: false,
  cause: CAUSE,
};

const AWAY_MS = 600_000;

/** Weather on a clock that only the test moves; `away` is what all workers together say of it. */
function breakerAt(isFollowed = false, reach = { isReached: false }) {
  const clock = { ms: 0 };
  const shared = { away: 0, told: [] as Told[] };
  const failed = async (attempt: Told) => {
    shared.told.push(attempt);
    return shared.away;
  };
  const breaker = createServiceBreaker(() => clock.ms, { failed }, AWAY_MS, isFollowed, reach);
  return { clock, shared, breaker };
}

test('the service is away for as long as it is for all workers, and longer with the time', async () => {
  const { breaker, clock, shared } = breakerAt();
  clock.ms = 100;
  await breaker.failed(NO_ANSWER);
  clock.ms = 20_000;
  shared.away = 9_000;
  await breaker.failed(NO_ANSWER);
  clock.ms = 20_150;
  expect(breaker.awayFor()).toBe(9_150);
});

test('an outage of long ago is no news: a run that goes on counts from its own beginning', async () => {
  const { breaker, clock, shared } = breakerAt();
  clock.ms = 400;
  shared.away = 86_400_000;
  await breaker.failed(NO_ANSWER);
  expect(breaker.awayFor()).toBe(400);
});

test('an answer ends it, and the next failure begins anew', async () => {
  const { breaker, clock } = breakerAt();
  await breaker.failed(NO_ANSWER);
  clock.ms = 1000;
  breaker.succeeded(0);
  clock.ms = 5000;
  expect(breaker.awayFor()).toBe(0);
  await breaker.failed(NO_ANSWER);
  clock.ms = 5001;
  expect(breaker.awayFor()).toBe(1);
});

test('an answer that comes while the others are told of a failure is the newer news', async () => {
  const told = deferred<number>();
  const breaker = createServiceBreaker(() => 100, { failed: () => told.promise }, AWAY_MS);
  const telling = breaker.failed(NO_ANSWER);
  breaker.succeeded(0);
  told.resolve(60_000);
  await telling;
  expect(breaker.awayFor()).toBe(0);
});

test('an answer counts for who began at that time or before, not for who began after it', () => {
  const { breaker, clock } = breakerAt();
  clock.ms = 50;
  breaker.succeeded(0);
  clock.ms = 90;
  expect([49, 50, 51].map(breaker.answeredSince)).toEqual([true, true, false]);
});

test('an answer to what was begun long ago does not say that one gets through now', () => {
  const { breaker, clock } = breakerAt();
  clock.ms = 50;
  breaker.succeeded(20);
  clock.ms = 60;
  breaker.succeeded(55);
  expect([29, 30, 31].map(breaker.getsThroughSince)).toEqual([true, true, false]);
});

test.each([
  ['no answer at all', { status: null, afterMs: null }, { isFailure: true, holdMs: 0 }],
  [
    '503, although it names a time for this row',
    { status: 503, afterMs: 9_000 },
    { isFailure: true, holdMs: 0 },
  ],
  [
    '503 that names a longer time than the run waits for',
    { status: 503, afterMs: AWAY_MS + 1 },
    { isFailure: true, holdMs: AWAY_MS + 1 },
  ],
  ['429 that names a time', { status: 429, afterMs: 9_000 }, { isFailure: false, holdMs: 9_000 }],
  ['429 that names none', { status: 429, afterMs: null }, { isFailure: false, holdMs: 0 }],
])('what all workers are told of %s', async (_, failure, expected) => {
  const { breaker, shared } = breakerAt();
  await breaker.failed({ ...NO_ANSWER, mark: 'i me.1 3.1', ...failure });
  expect(shared.told).toEqual([{ mark: 'i me.1 3.1', cause: CAUSE, ...expected }]);
});

test('a followed run waits 30 s for an address at which nothing was ever reached, and then as any other', async () => {
  const { breaker } = breakerAt(true);
  await breaker.failed(NO_ANSWER);
  expect(breaker.patienceMs()).toBe(30_000);
  await breaker.failed({ ...NO_ANSWER, isReached: true });
  await breaker.failed(NO_ANSWER);
  expect(breaker.patienceMs()).toBe(AWAY_MS);
});

test('what one run has reached holds for the others of the address', async () => {
  const reach = { isReached: false };
  const [one, other] = [breakerAt(true, reach), breakerAt(true, reach)];
  const before = other.breaker.patienceMs();
  await one.breaker.failed({ ...NO_ANSWER, isReached: true });
  expect([before, other.breaker.patienceMs()]).toEqual([30_000, AWAY_MS]);
  expect(breakerAt(true, { isReached: true }).breaker.patienceMs()).toBe(AWAY_MS);
});
