import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAdaptiveLimit } from '../../src/delivery/adaptive-limit.ts';
import { TIMED_OUT, TIMED_OUT_BEFORE_SENDING } from '../../src/delivery/service/network-error.ts';
import type { Reply } from '../../src/model/request.ts';
import { seededRandom } from '../../src/sandbox/faults.ts';
import { response } from './service/verdicts.ts';

const MANY = 500;
const ANSWER_MS = 50;
const SECOND = 1000;

const reply = (status: number, ms = ANSWER_MS, retryAfterMs: number | null = null): Reply =>
  response(status, '', retryAfterMs, ms);
const refusal = reply(429);
/** Refused for what it asks: how long that took says nothing of other requests. */
const borne = (ms = ANSWER_MS) => reply(418, ms);

/** A limit that hears what one run is answered, on a clock of its own. */
function startLimit(ceiling = MANY) {
  const clock = { now: 0 };
  const limit = createAdaptiveLimit(() => clock.now);
  const current = () => limit.current(ceiling);
  return {
    current,
    limit,
    /** As many are in flight as may be, unless told otherwise. */
    hear: (answer: Reply, inFlight = current()) => limit.hear(answer, inFlight, ceiling),
    pass(ms: number) {
      clock.now += ms;
    },
    /** Whole round trips of as many requests as there may be. */
    goRound(trips: number, answer = borne()) {
      for (let trip = 0; trip < trips; trip += 1) {
        clock.now += answer.ms;
        const requests = current();
        for (let n = 0; n < requests; n += 1) limit.hear(answer, requests, ceiling);
      }
    },
    /** Far too many: every answer of the round trip says so. */
    refuseAll() {
      clock.now += 100;
      const inFlight = current();
      for (let n = 0; n < inFlight; n += 1) limit.hear(refusal, inFlight - n, ceiling);
    },
  };
}

describe('without trouble', () => {
  test('it begins at the ceiling, or at 50 where that is more', () => {
    const { limit } = startLimit();
    expect([1, 20, 50, 51, 500].map(limit.current)).toEqual([1, 20, 50, 50, 50]);
  });

  test('it grows by a fifth in a round trip, up to the ceiling', () => {
    const one = startLimit(100);
    const seen = Array.from({ length: 6 }, () => {
      one.goRound(1);
      return one.current();
    });
    expect(seen).toEqual([60, 72, 86, 100, 100, 100]);
  });
});

describe('trouble', () => {
  test('halves it, once for all requests of one round trip, however well it went before', () => {
    const one = startLimit(60);
    one.goRound(5);
    one.refuseAll();
    expect(one.current()).toBe(30);
    for (let n = 0; n < 100; n += 1) one.hear(reply(429, 80), 30);
    expect(one.current()).toBe(30);
  });

  test('with a time to come back counts at once, unless a round trip went well since the last one', () => {
    const one = startLimit(50);
    const named = reply(429, ANSWER_MS, SECOND);
    one.goRound(1);
    one.hear(named);
    expect(one.current()).toBe(50);
    one.hear(named);
    expect(one.current()).toBe(25);
  });

  test.each([
    [1, 49],
    [5, 20],
  ])('of %i requests in a hundred leaves more than %i of fifty, on average', (percent, least) => {
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
});

const silent = (code: string, sent = true): Reply => ({ kind: 'no-response', sent, code, ms: ANSWER_MS });
const cut = (code: string): Reply => ({ kind: 'unreadable', status: 200, code, ms: ANSWER_MS });

test.each<[string, Reply, 'less' | 'more' | 'the same']>([
  ['200', reply(200), 'more'],
  ['418, a record that is refused', reply(418), 'more'],
  ['429', reply(429), 'less'],
  ['403 that is a limit', reply(403, ANSWER_MS, SECOND), 'less'],
  ['403', reply(403), 'more'],
  ['503 with a time', reply(503, ANSWER_MS, SECOND), 'less'],
  ['504, a gateway that has waited in vain', reply(504), 'less'],
  ['500', reply(500), 'the same'],
  ['no answer in time', silent(TIMED_OUT), 'less'],
  ['an answer that did not end in time', cut(TIMED_OUT), 'less'],
  ['an answer that broke off', cut('UND_ERR_SOCKET'), 'the same'],
  ['a connection that was lost', silent('ECONNRESET'), 'the same'],
  ['no connection in time', silent(TIMED_OUT_BEFORE_SENDING, false), 'the same'],
])('after four times "%s" it is as it should be', (_, answer, expected) => {
  const one = startLimit();
  one.pass(ANSWER_MS);
  for (let n = 0; n < 5; n += 1) one.hear(answer);
  const now = one.current();
  expect(now === 50 ? 'the same' : now < 50 ? 'less' : 'more').toBe(expected);
});

const answer: fc.Arbitrary<Reply> = fc
  .record({
    status: fc.constantFrom(200, 200, 200, 418, 429, 503, 500),
    ms: fc.integer({ min: 0, max: 30_000 }),
    afterMs: fc.constantFrom(null, SECOND),
  })
  .map(({ status, ms, afterMs }) => reply(status, ms, afterMs));

test('whatever happened before, it is back at the ceiling when there has been no trouble for a minute', () => {
  const steps = fc.array(answer, { maxLength: 100 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200 }), steps, (ceiling, steps) => {
      const one = startLimit(ceiling);
      for (const answer of steps) {
        one.pass(100);
        one.hear(answer);
        expect(one.current()).toBeGreaterThanOrEqual(1);
        expect(one.current()).toBeLessThanOrEqual(ceiling);
      }
      one.goRound(1200, reply(200));
      expect(one.current()).toBe(ceiling);
    }),
    { numRuns: 40 },
  );
});
