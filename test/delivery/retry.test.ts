import { describe, expect, test } from 'vitest';
import { nextTry } from '../../src/delivery/retry.ts';
import type { Retry } from '../../src/delivery/row-task.ts';

const ATTEMPTS = 5;
const AWAY_MS = 600_000;

type Situation = Partial<Parameters<typeof nextTry>[0]> & {
  readonly afterMs?: number | null;
  readonly code?: string;
  readonly status?: number;
  readonly awayForMs?: number;
  /** When the latest definite answer to another row came, and when what it answers was begun. */
  readonly answeredAt?: number;
  readonly throughAt?: number;
};

/** What follows the first failed attempt, unless the situation says otherwise; backing off takes `attempt` × 100 ms. */
function decide(situation: Situation) {
  const { made = 1, throttled = 0, startedAt = 1000, previousAt = startedAt, afterMs = null } = situation;
  const { code = 'http_503', status = 503, answeredAt = 0, throughAt = 0 } = situation;
  const verdict: Retry = { kind: 'retry', status, code, message: 'busy', afterMs };
  const { alone = 0, othersAccepted = 0, isLast = false } = situation;
  const tries = { made, throttled, startedAt, previousAt, alone, othersAccepted, isLast };
  return nextTry(tries, verdict, {
    attempts: ATTEMPTS,
    awayMs: AWAY_MS,
    backoffMs: (attempt) => attempt * 100,
    breaker: {
      awayFor: () => situation.awayForMs ?? 0,
      answeredSince: (time) => answeredAt >= time,
      getsThroughSince: (time) => throughAt >= time,
    },
  });
}

const UNSENT = { kind: 'unsent' };
const GIVE_UP = [{ kind: 'settle', end: { outcome: 'failed' } }];
const AWAY = [{ kind: 'pause', reason: 'service-away' }, UNSENT];
const HOLD = [{ kind: 'pause', reason: 'service-hold' }, UNSENT];

describe.each([0, 1000])('while the latest answer to another row came at %i', (answeredAt) => {
  test.each([
    ['the first attempt failed: back off by the first step', { made: 1 }, 100],
    ['the fourth failed: by the fourth step', { made: 4 }, 400],
    ['the service names a time: it is taken instead of backing off', { made: 3, afterMs: 7000 }, 7000],
    ['the service says at once: never in a tight loop', { made: 3, afterMs: 0 }, 50],
    ['the service says in an instant', { made: 3, afterMs: 49 }, 50],
    ['asked to wait 20 times: no attempt is used up', { made: 21, throttled: 20 }, 100],
    ['throttled ones do not lengthen the backing off', { made: 5, throttled: 3 }, 200],
    ['the service names a time as long as the run waits', { made: 1, afterMs: AWAY_MS }, AWAY_MS],
    ['the service names a longer one', { made: 1, afterMs: AWAY_MS + 1 }, HOLD],
    ['patience ends before the next step: no longer than that', { made: 1, awayForMs: AWAY_MS - 60 }, 60],
    ['just not away yet', { made: 1, awayForMs: AWAY_MS - 1 }, 50],
    ['away for as long as the definition allows', { made: 1, awayForMs: AWAY_MS }, AWAY],
    ['away counts before anything else', { made: 99, awayForMs: AWAY_MS + 1, afterMs: 5 }, AWAY],
  ])('%s', (_, situation, expected) => {
    expect(decide({ answeredAt, ...situation })).toEqual(expected);
  });
});

describe('attempts are used up', () => {
  test.each([
    ['all counted ones are made', { made: ATTEMPTS }],
    ['more than all, after an outage', { made: ATTEMPTS + 3 }],
    ['the counted ones, beside throttled ones', { made: ATTEMPTS + 20, throttled: 20 }],
    ['ten times as many in all, though every one was throttled', { made: 50, throttled: 50, afterMs: 1000 }],
  ])('%s: the row gives up while others go through, and waits on where nobody does', (_, situation) => {
    expect(decide({ ...situation, answeredAt: 1000 })).toMatchObject(GIVE_UP);
    // What was answered before this row began proves nothing.
    expect(decide({ ...situation, answeredAt: 999 })).toEqual(expect.any(Number));
  });

  test.each(['connection_refused', 'connect_timeout', 'name_not_found', 'host_unreachable', 'tls_failed'])(
    'a row that can not connect (%s) waits on while others only get answers to what was begun before',
    (code) => {
      const given = { code, made: ATTEMPTS, answeredAt: 2000 };
      expect(decide({ ...given, throughAt: 999 })).toEqual(expect.any(Number));
      expect(decide({ ...given, throughAt: 1000 })).toMatchObject(GIVE_UP);
    },
  );
});

test('a row that was first tried when the service was going away outlasts the outage, however often it probes', () => {
  const given = { code: 'connection_refused', made: ATTEMPTS, awayForMs: 1, answeredAt: 9000 };
  expect(decide({ ...given, throughAt: 1001, previousAt: 9000 })).toEqual(expect.any(Number));
  expect(decide({ ...given, throughAt: 1001, previousAt: 1001 })).toMatchObject(GIVE_UP);
});

describe('one row that does not get through', () => {
  const ALONE = { made: 50, throttled: 50, afterMs: 1000, answeredAt: 2000 };
  const LAST = { made: 3, throttled: 3, isLast: true };
  test.each<[string, Situation, unknown]>([
    [
      '429 that met it alone 20 times while 20 were accepted',
      { status: 429, alone: 20, othersAccepted: 20 },
      GIVE_UP,
    ],
    ['429 that met it alone 19 times', { status: 429, alone: 19, othersAccepted: 99 }, 1000],
    ['429 while only 19 were accepted', { status: 429, alone: 99, othersAccepted: 19 }, 1000],
    ['429 that met others, too', { status: 429, alone: 1, othersAccepted: 99 }, 1000],
    [
      '503 that met it alone as often as there are attempts',
      { made: 5, alone: 5, othersAccepted: 20 },
      GIVE_UP,
    ],
    ['503 that met it alone four times', { made: 4, alone: 4, othersAccepted: 20 }, 1000],
    ['patience ends', { made: 2, alone: 2, othersAccepted: 20, awayForMs: AWAY_MS }, GIVE_UP],
    ['patience ends with the last row open', { ...LAST, awayForMs: AWAY_MS }, GIVE_UP],
    ['patience lasts with the last row open', { ...LAST, awayForMs: AWAY_MS - 1 }, 1000],
    ['the last row, and no connection', { ...LAST, code: 'connection_refused', awayForMs: AWAY_MS }, AWAY],
    ['the last row, 429 20 times', { status: 429, isLast: true, alone: 20 }, GIVE_UP],
    ['429 at once, with no time', { status: 429, made: 3, throttled: 3, afterMs: 0 }, 300],
  ])('%s', (_, situation, expected) => {
    const next = decide({ ...ALONE, ...situation });
    if (typeof expected === 'number') expect(next).toBe(expected);
    else expect(next).toMatchObject(Object(expected));
  });
});
