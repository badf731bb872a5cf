import { describe, expect, test } from 'vitest';
import { tryRow } from '../../src/delivery/try-row.ts';
import { createSharedBreaker } from '../../src/ledger/breaker.ts';
import { UsageError } from '../../src/lib/usage-error.ts';
import { useOwnRedis } from '../support/redis.ts';
import { until } from '../support/until.ts';
import {
  answer,
  type Bench,
  type BenchOptions,
  busy,
  created,
  LOST,
  NOT_SENT,
  sendingOf,
  serving,
  startBench,
} from './row-bench.ts';

const own = useOwnRedis();
const start = (options: BenchOptions = {}) => startBench(own().redis, options);
const attempt = (bench: Bench, context = bench.context, sending = sendingOf(bench)) =>
  tryRow(sending, context);

/** A bench whose service answers `replies` in order and looks into Redis as each attempt begins. */
async function watched(replies: ReadonlyArray<ReturnType<typeof answer>>, options: BenchOptions = {}) {
  const seen: Array<string | null> = [];
  const box: { bench?: Bench } = {};
  const bench = await start({
    ...options,
    attempt: async (n) => {
      seen.push((await box.bench?.mark(1)) ?? null);
      return replies[n - 1] ?? created();
    },
  });
  box.bench = bench;
  return { bench, seen };
}

describe('an attempt', () => {
  test('finds its intent in Redis as it begins, and the intent stays until the outcome is recorded', async () => {
    const { bench, seen } = await watched([created('made-7')]);
    const sending = sendingOf(bench);
    expect(await attempt(bench, bench.context, sending)).toMatchObject({
      kind: 'final',
      verdict: { kind: 'accepted', outcome: 'created', id: 'made-7' },
      ms: 3,
    });
    expect(seen).toEqual(['i me.1 1.1']);
    expect(await bench.mark(1)).toBe('i me.1 1.1');
    expect([sending.made, bench.attempts.length]).toEqual([1, 1]);
  });

  test('takes the request and the token to the service as they are', async () => {
    const bench = await start();
    const sending = sendingOf(bench);
    await attempt(bench, bench.context, sending);
    expect(bench.attempts).toEqual([{ request: sending.request, token: 'token-1' }]);
  });

  test('that nobody knows the outcome of is final, and its intent stays', async () => {
    const { bench } = await watched([LOST]);
    expect(await attempt(bench)).toMatchObject({ kind: 'final', verdict: { kind: 'unknown' } });
    expect(await bench.mark(1)).toBe('i me.1 1.1');
  });

  test.each([
    ['nothing was sent', NOT_SENT, 0, null],
    ['the service names a time', busy(1500), 1, 1500],
    ['the service is too busy, and names none', answer(429), 0, null],
  ])('that may be repeated (%s) takes its intent back', async (_, reply, throttled, afterMs) => {
    const { bench, seen } = await watched([reply]);
    const sending = sendingOf(bench);
    expect(await attempt(bench, bench.context, sending)).toMatchObject({
      kind: 'again',
      verdict: { kind: 'retry', afterMs },
    });
    expect([seen, await bench.mark(1)]).toEqual([['i me.1 1.1'], null]);
    expect(sending).toMatchObject({ made: 1, throttled, expected: '', everUnknown: false });
  });

  test('is told to all workers with its cause: the plain words, and the code that a person can search for', async () => {
    const { bench } = await watched([NOT_SENT, answer(503)]);
    const breaker = createSharedBreaker(own().redis, bench.keys);
    await attempt(bench);
    expect((await breaker.read()).cause).toBe(
      'The service refused the connection. Nothing was sent (ECONNREFUSED).',
    );
    await attempt(bench);
    expect((await breaker.read()).cause).toMatch(/^The service answered 503\. [^(]*$/);
  });

  test('after one that was taken back has an intent of its own', async () => {
    const { bench, seen } = await watched([busy(0)]);
    const sending = sendingOf(bench);
    await attempt(bench, bench.context, sending);
    expect((await attempt(bench, bench.context, sending)).kind).toBe('final');
    expect(seen).toEqual(['i me.1 1.1', 'i me.1 2.1']);
  });
});

describe('nothing is sent', () => {
  test('of a row that another worker has', async () => {
    const bench = await start();
    await bench.setMark(1, 'i other.1 1');
    expect(await attempt(bench)).toEqual({ kind: 'unsent' });
    expect([bench.attempts, await bench.mark(1)]).toEqual([[], 'i other.1 1']);
  });

  test.each(['paused', 'stopped', 'cancelled', 'finished'] as const)(
    'of a run that is %s, and no intent is left',
    async (state) => {
      const bench = await start();
      await bench.turn(state);
      expect(await attempt(bench)).toEqual({ kind: 'unsent' });
      expect([bench.attempts, await bench.mark(1)]).toEqual([[], null]);
    },
  );

  test('of a chunk that is lost before the intent, and none is made', async () => {
    const bench = await start();
    expect(await attempt(bench, bench.context, sendingOf(bench, { isHeld: () => false }))).toEqual({
      kind: 'unsent',
    });
    expect([bench.attempts, await bench.mark(1)]).toEqual([[], null]);
  });

  test('of a chunk that is lost between the intent and the first byte, and the intent is taken back', async () => {
    const bench = await start();
    let looks = 0;
    const isHeld = () => {
      looks += 1;
      return looks === 1;
    };
    const sending = sendingOf(bench, { isHeld });
    expect(await attempt(bench, bench.context, sending)).toEqual({ kind: 'unsent' });
    expect([bench.attempts, await bench.mark(1), looks]).toEqual([[], null, 2]);
    expect(sending).toMatchObject({ made: 0, expected: '' });
  });

  test('once the process is to end, and no intent is left', async () => {
    const bench = await start();
    bench.stop.abort();
    expect(await attempt(bench)).toEqual({ kind: 'unsent' });
    expect([bench.attempts, await bench.mark(1)]).toEqual([[], null]);
  });

  test('where the process is to end while the token is fetched', async () => {
    const bench = await start();
    const context = serving(bench, {
      token: async () => {
        bench.stop.abort();
        return 'token-1';
      },
    });
    expect(await attempt(bench, context)).toEqual({ kind: 'unsent' });
    expect([bench.attempts, await bench.mark(1)]).toEqual([[], null]);
  });

  test('without a token: the trouble is thrown, and no intent is left', async () => {
    const bench = await start();
    const context = serving(bench, {
      token: () => Promise.reject(new UsageError('the token file is gone')),
    });
    await expect(attempt(bench, context)).rejects.toThrow('the token file is gone');
    expect([bench.attempts, await bench.mark(1)]).toEqual([[], null]);
  });

  test('before the run’s next permit on the time line, and a run that ends meanwhile does not wait for it', async () => {
    const bench = await start({ definition: { send: { rate: '1/h' } } });
    expect((await attempt(bench)).kind).toBe('final');
    const second = attempt(bench, bench.context, sendingOf(bench, { taker: 'me.2', expected: 'i me.1 1.1' }));
    bench.stop.abort();
    expect(await second).toEqual({ kind: 'unsent' });
    expect(bench.attempts).toHaveLength(1);
  });
});

describe('a run that is paused or cancelled by another process', () => {
  const FAR_TOO_LONG_MS = 86_400_000;

  test.each(['paused', 'cancelled'] as const)(
    'and is %s ends the wait for a service that asked to be left alone for a day',
    async (state) => {
      const bench = await start();
      const hold = { mark: 'another', status: 429, afterMs: FAR_TOO_LONG_MS, cause: '' };
      await bench.context.breaker.failed(hold);
      const tried = attempt(bench);
      // It has been told to wait.
      await until(() => bench.journal.records.some(({ kind }) => kind === 'withdrawn'));
      await bench.turn(state);
      expect(await tried).toEqual({ kind: 'unsent' });
      expect([bench.attempts, await bench.mark(1)]).toEqual([[], null]);
    },
  );

  test('ends the wait for a permit on the time line, and rows that come after it take no permit', async () => {
    const bench = await start({ definition: { send: { rate: '1/h' } } });
    await bench.context.ledger.reserve(1, 3_600_000);
    const tried = attempt(bench);
    await bench.turn('paused', 'requested');
    expect(await tried).toEqual({ kind: 'unsent' });
    const { rate } = bench.keys.run(bench.context.run.id);
    const free = await own().redis.get(rate);
    expect(await attempt(bench, bench.context, sendingOf(bench, { taker: 'me.2' }))).toEqual({
      kind: 'unsent',
    });
    expect([bench.attempts, await own().redis.get(rate)]).toEqual([[], free]);
  });
});

describe('rows with a rate', () => {
  test('that waited for the service together take new permits, and do not go at once', async () => {
    const times: number[] = [];
    const bench = await start({
      definition: { send: { rate: '10/s' } },
      attempt: () => {
        times.push(performance.now());
        return created();
      },
    });
    // So long that the permits which all have at first are behind them.
    const hold = { mark: 'another', status: 429, afterMs: 800, cause: '' };
    const held = performance.now();
    await bench.context.breaker.failed(hold);
    const { task } = sendingOf(bench);
    const ofRow = (row: number) => ({ ...task, row: { ...task.row, row }, identityKey: `K${row}` });
    const rows = [1, 2, 3, 4, 5].map(ofRow);
    const sendings = rows.map((each, i) => sendingOf(bench, { task: each, taker: `me.${i}` }));
    const ends = await Promise.all(sendings.map((each) => tryRow(each, bench.context)));
    expect(ends.map(({ kind }) => kind)).toEqual(Array.from({ length: 5 }, () => 'final'));
    // The hold and four intervals, less a moment that may be made up for; the first attempt itself may be late.
    expect((times.at(-1) ?? 0) - held).toBeGreaterThan(1_100);
  });
});

describe('a dead worker’s intent', () => {
  test('is replaced by the one who knows it, before the attempt', async () => {
    const { bench, seen } = await watched([], { operation: 'subclient.update' });
    await bench.setMark(1, 'i dead.1 1');
    expect((await attempt(bench, bench.context, sendingOf(bench, { expected: 'i dead.1 1' }))).kind).toBe(
      'final',
    );
    expect(seen).toEqual(['i me.1 1.1']);
  });
});

describe('a token that is refused', () => {
  const UNAUTHORIZED = answer(401);

  test('is replaced by a fresh one, once, at once, with no attempt counted against the row', async () => {
    const { bench, seen } = await watched([UNAUTHORIZED]);
    const context = serving(bench, {
      token: async () => (bench.attempts.length === 0 ? 'token-1' : 'token-2'),
      freshToken: async (stale: string) => (stale === 'token-1' ? 'token-2' : null),
    });
    const sending = sendingOf(bench);
    expect(await attempt(bench, context, sending)).toMatchObject({
      kind: 'again',
      verdict: { afterMs: 0, status: 401 },
    });
    expect([await bench.mark(1), sending.made - sending.throttled]).toEqual([null, 0]);
    expect((await attempt(bench, context, sending)).kind).toBe('final');
    expect(bench.attempts.map((a) => a.token)).toEqual(['token-1', 'token-2']);
    expect([seen, bench.pauses]).toEqual([['i me.1 1.1', 'i me.1 2.1'], []]);
  });

  test('and whose successor is refused too pauses the run; the row is not burned', async () => {
    const bench = await start({ attempt: () => UNAUTHORIZED });
    const context = serving(bench, { freshToken: async () => 'token-2' });
    const sending = sendingOf(bench);
    expect((await attempt(bench, context, sending)).kind).toBe('again');
    expect(await attempt(bench, context, sending)).toEqual({ kind: 'unsent' });
    expect([bench.pauses, await bench.mark(1), bench.attempts.length]).toEqual([['credentials'], null, 2]);
    expect(await bench.run()).toMatchObject({ state: 'paused', reason: 'credentials' });
  });

  test('and has no successor pauses the run at once', async () => {
    const bench = await start({ attempt: () => UNAUTHORIZED });
    expect(await attempt(bench)).toEqual({ kind: 'unsent' });
    expect([bench.pauses, await bench.mark(1), bench.attempts.length]).toEqual([['credentials'], null, 1]);
  });
});

describe('a service that has given no definite answer for too long', () => {
  test.each([
    [119_999, []],
    [120_000, ['service-away']],
  ])('after %i ms, with creates whose answers are lost, pauses the run as %j', async (awayMs, pauses) => {
    const { bench } = await watched([LOST], { definition: { send: { awayMinutes: 2 } } });
    const context = { ...bench.context, breaker: { ...bench.context.breaker, awayFor: () => awayMs } };
    expect(await attempt(bench, context)).toMatchObject({ kind: 'final', verdict: { kind: 'unknown' } });
    expect(bench.pauses).toEqual(pauses);
    expect(await bench.mark(1)).toBe('i me.1 1.1');
  });
});

describe('onUnknownOutcome: retry, the user’s own choice', () => {
  const definition = { onUnknownOutcome: 'retry' };

  test('sends again, and meanwhile the intent stays: should the process die, the row is not free', async () => {
    const { bench, seen } = await watched([LOST], { definition });
    const sending = sendingOf(bench);
    expect(await attempt(bench, bench.context, sending)).toMatchObject({ kind: 'again' });
    expect([await bench.mark(1), sending.everUnknown]).toEqual(['i me.1 1.1', true]);
    expect((await attempt(bench, bench.context, sending)).kind).toBe('final');
    expect(seen).toEqual(['i me.1 1.1', 'i me.1 2.1']);
  });

  test('an attempt that is known not to have arrived does not free the row after one that may have', async () => {
    const { bench } = await watched([LOST, busy(0)], { definition });
    const sending = sendingOf(bench);
    await attempt(bench, bench.context, sending);
    expect((await attempt(bench, bench.context, sending)).kind).toBe('again');
    expect(await bench.mark(1)).toBe('i me.1 2.1');
  });

  test('a chunk that is lost before the next byte does not free the row after an attempt that may have arrived', async () => {
    const { bench } = await watched([LOST], { definition });
    let looks = 0;
    const isHeld = () => {
      looks += 1;
      return looks < 4;
    };
    const sending = sendingOf(bench, { isHeld });
    await attempt(bench, bench.context, sending);
    expect(await attempt(bench, bench.context, sending)).toEqual({ kind: 'unsent' });
    expect([bench.attempts.length, await bench.mark(1)]).toEqual([1, 'i me.1 2.1']);
  });
});
