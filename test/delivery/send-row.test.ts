import { describe, expect, test } from 'vitest';
import { sendRow } from '../../src/delivery/send-row.ts';
import { identityPlace } from '../../src/ledger/keys.ts';
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
const send = (bench: Bench, context = bench.context, sending = sendingOf(bench)) => sendRow(sending, context);
/** A bench whose service answers `replies` in order; after the last one it creates. */
const replying = (replies: ReadonlyArray<ReturnType<typeof answer>>, options: BenchOptions = {}) =>
  start({ ...options, attempt: (n) => replies[n - 1] ?? created() });
const TOO_LONG_MS = 660_000;
/** No test waits for it, and a run just does. */
const FAR_TOO_LONG_MS = 500_000;

/** The context with another backing off. */
const backingOff = (bench: Bench, backoffMs: (attempt: number) => number) => serving(bench, { backoffMs });

const placeOfKey = (bench: Bench) => identityPlace(bench.keys, { space: 'subclient', key: 'K1' });

describe('a key that Redis has forgotten the claim of', () => {
  test('and that another run has by now: the row is not sent, and says who has it', async () => {
    const bench = await start();
    const { bucket, digest } = placeOfKey(bench);
    await own().redis.hset(bucket, digest, 'c run-other 7 ');
    const sent = await send(bench);
    expect(sent).toMatchObject({ kind: 'ended', end: { outcome: 'invalid', code: 'key_held' } });
    expect(sent.kind === 'ended' && sent.end.message).toContain('row 7 of run run-other');
    expect(bench.attempts).toEqual([]);
    expect(await bench.mark(1)).toBeNull();
  });

  test('and that nobody has: it is claimed again with the intent', async () => {
    const bench = await start();
    const { bucket, digest } = placeOfKey(bench);
    expect((await send(bench)).kind).toBe('ended');
    expect(await own().redis.hget(bucket, digest)).toBe(`c ${bench.context.run.id} 1 `);
  });
});

describe('a row that is sent', () => {
  test('at the first attempt ends as the service says', async () => {
    const bench = await replying([answer(418, '{"name":"bad"}')], { operation: 'counterparty.draft' });
    expect(await send(bench)).toEqual({
      kind: 'ended',
      end: {
        outcome: 'rejected',
        status: 418,
        code: 'http_418',
        message: 'The service found the record invalid (418).',
        body: '{"name":"bad"}',
        attempts: 1,
        ms: 3,
      },
      mark: 'i me.1 1.1',
    });
  });

  test.each([
    ['it asks to come back', [busy(1), busy(0)]],
    ['nothing was sent', [NOT_SENT, NOT_SENT, NOT_SENT]],
    ['it is too busy', [answer(429)]],
  ])('again where that is safe (%s) ends created, with its attempts counted', async (_, replies) => {
    const bench = await replying(replies);
    expect(await send(bench)).toMatchObject({
      kind: 'ended',
      end: { outcome: 'created', id: 'made-1', attempts: replies.length + 1 },
    });
    expect(bench.attempts).toHaveLength(replies.length + 1);
  });

  test('is sent once where its outcome is not known, and is in doubt', async () => {
    const bench = await replying([LOST]);
    expect(await send(bench)).toMatchObject({
      kind: 'ended',
      end: { outcome: 'in-doubt', status: 0, attempts: 1 },
    });
    expect(bench.attempts).toHaveLength(1);
  });

  test('an update whose answer was lost is sent again', async () => {
    const bench = await replying([LOST, answer(500)], { operation: 'subclient.update' });
    expect(await send(bench)).toMatchObject({ kind: 'ended', end: { outcome: 'updated', attempts: 3 } });
  });

  test('backs off by the number of its attempts, but waits as the service says where it says', async () => {
    const bench = await replying([NOT_SENT, busy(1), NOT_SENT, NOT_SENT]);
    const asked: number[] = [];
    const context = backingOff(bench, (attempt) => {
      asked.push(attempt);
      return 0;
    });
    await send(bench, context);
    expect(asked).toEqual([1, 2, 3]);
  });

  test('is free in the ledger while it waits, so that nothing is in doubt should the process die then', async () => {
    const bench = await replying([busy(FAR_TOO_LONG_MS)]);
    const sending = sendingOf(bench);
    const sent = send(bench, bench.context, sending);
    await until(async () => sending.throttled === 1 && (await bench.mark(1)) === null);
    bench.stop.abort();
    expect(await sent).toEqual({ kind: 'unsent' });
    expect([bench.attempts.length, await bench.mark(1)]).toEqual([1, null]);
  });

  test('with a token that is refused goes again with a fresh one; the row is created', async () => {
    const bench = await replying([answer(401)]);
    const context = serving(bench, { freshToken: async () => 'token-2' });
    expect(await send(bench, context)).toMatchObject({
      kind: 'ended',
      end: { outcome: 'created', attempts: 2 },
    });
  });
});

describe('a row that can’t be sent now', () => {
  test('fails when its attempts are used up while others go through', async () => {
    const definition = { send: { attempts: 3 } };
    const bench = await start({ definition, attempt: () => NOT_SENT });
    // Another row gets through each time this one waits.
    const context = backingOff(bench, () => {
      bench.context.breaker.succeeded(0);
      return 0;
    });
    const sent = await send(bench, context);
    // No intent stands on it any more: none of its attempts arrived.
    expect(sent).toMatchObject({ kind: 'ended', end: { outcome: 'failed', attempts: 3 }, mark: '' });
    expect(sent).toMatchObject({ end: { message: expect.stringMatching(/^gave up after 3 attempts: /) } });
    expect([bench.attempts.length, await bench.mark(1)]).toEqual([3, null]);
  });

  test('goes on past its attempts while nobody gets through', async () => {
    const definition = { send: { attempts: 2 } };
    const bench = await replying(Array(9).fill(NOT_SENT), { definition });
    expect(await send(bench)).toMatchObject({ kind: 'ended', end: { outcome: 'created', attempts: 10 } });
  });

  test('goes on past its attempts where others got through only in the beginning of the outage', async () => {
    const bench = await replying(Array(6).fill(NOT_SENT), { definition: { send: { attempts: 3 } } });
    const context = backingOff(bench, (attempt) => {
      if (attempt === 1) bench.context.breaker.succeeded(0);
      return 0;
    });
    const sent = await send(bench, context);
    expect(sent).toMatchObject({ kind: 'ended', end: { outcome: 'created', attempts: 7 } });
  });

  test('pauses the run when the service is away for too long, and is unsent', async () => {
    const breaker = {
      succeeded() {},
      failed: async () => {},
      answeredSince: () => false,
      getsThroughSince: () => false,
      awayFor: () => 60_000,
    };
    const bench = await replying([NOT_SENT], { definition: { send: { awayMinutes: 1 } }, over: { breaker } });
    expect(await send(bench)).toEqual({ kind: 'unsent' });
    expect([bench.pauses, await bench.mark(1)]).toEqual([['service-away'], null]);
    expect(await bench.run()).toMatchObject({ state: 'paused', reason: 'service-away' });
  });

  test.each([
    ['it was told so itself', [busy(TOO_LONG_MS)], 1],
    ['it was told so itself, as a limit', [answer(429, '', TOO_LONG_MS)], 1],
  ])(
    'pauses the run where the service asks for a longer wait than that, and is unsent: %s',
    async (_, replies, sent) => {
      const bench = await replying(replies);
      expect(await send(bench)).toEqual({ kind: 'unsent' });
      expect([bench.attempts.length, await bench.mark(1)]).toEqual([sent, null]);
      expect(await bench.run()).toMatchObject({ state: 'paused', reason: 'service-hold' });
      // A row that has not been told so meets it as well.
      await bench.turn('running');
      expect(await send(bench)).toEqual({ kind: 'unsent' });
      expect([bench.attempts.length, await bench.run()]).toMatchObject([sent, { reason: 'service-hold' }]);
    },
  );

  test.each(['paused', 'cancelled'] as const)(
    'is unsent soon after the run is %s elsewhere, however long it was to wait',
    async (state) => {
      const bench = await replying([busy(FAR_TOO_LONG_MS)]);
      const sending = sendingOf(bench);
      const sent = send(bench, bench.context, sending);
      await until(() => sending.throttled === 1);
      await bench.turn(state);
      expect(await sent).toEqual({ kind: 'unsent' });
      expect([bench.attempts.length, await bench.mark(1), bench.pauses]).toEqual([1, null, []]);
    },
  );

  test('is unsent when the run was paused while it waited', async () => {
    const bench = await replying([NOT_SENT]);
    const paused = bench.store.transition.bind(bench.store, bench.context.run.id, 'paused', 'requested');
    const context = serving(bench, {
      token: async () => {
        if (bench.attempts.length === 1) await paused();
        return 'token-1';
      },
    });
    expect(await send(bench, context)).toEqual({ kind: 'unsent' });
    expect([bench.attempts.length, await bench.mark(1)]).toEqual([1, null]);
  });
});

describe('onUnknownOutcome: retry, the user’s own choice', () => {
  const definition = { onUnknownOutcome: 'retry', send: { attempts: 2 } };

  test.each([
    ['created', [LOST, created('made-2')], { outcome: 'created', id: 'made-2', attempts: 2 }],
    ['refused', [LOST, answer(400, 'no')], { outcome: 'in-doubt', status: 400, body: 'no', attempts: 2 }],
    ['refused as a duplicate', [answer(500), answer(409)], { outcome: 'in-doubt', status: 409, attempts: 2 }],
    ['denied', [LOST, answer(403)], { outcome: 'in-doubt', status: 403, attempts: 2 }],
  ])('an unknown outcome, then %s', async (_, replies, end) => {
    const bench = await replying(replies, { definition });
    expect(await send(bench)).toMatchObject({ kind: 'ended', end });
  });

  test.each(['{}', '{"id":".."}'])('a record that was accepted is not sent again: %s', async (body) => {
    const bench = await replying([answer(200, body), created('made-2')], { definition });
    expect(await send(bench)).toMatchObject({ kind: 'ended', end: { outcome: 'in-doubt', attempts: 1 } });
    expect(bench.attempts).toHaveLength(1);
  });

  test('an unknown outcome, then none at all: the row is in doubt, not unsent', async () => {
    const bench = await replying([LOST, LOST], { definition });
    const context = backingOff(bench, () => {
      bench.stop.abort();
      return 0;
    });
    expect(await send(bench, context)).toMatchObject({
      kind: 'ended',
      end: { outcome: 'in-doubt', code: 'interrupted', attempts: 1 },
    });
  });

  test('an unknown outcome, then a run that is paused elsewhere: the row is in doubt, not unsent', async () => {
    const bench = await replying([LOST], { definition });
    const sending = sendingOf(bench);
    const context = backingOff(bench, () => FAR_TOO_LONG_MS);
    const sent = send(bench, context, sending);
    await until(() => sending.everUnknown);
    await bench.turn('paused', 'requested');
    expect(await sent).toMatchObject({
      kind: 'ended',
      end: { outcome: 'in-doubt', code: 'interrupted', attempts: 1 },
      mark: 'i me.1 1.1',
    });
  });

  test('unknown outcomes until the attempts are used up: in doubt, not failed', async () => {
    const bench = await start({ definition, attempt: () => LOST });
    const context = backingOff(bench, () => {
      bench.context.breaker.succeeded(0);
      return 0;
    });
    expect(await send(bench, context)).toMatchObject({
      kind: 'ended',
      end: { outcome: 'in-doubt', attempts: 2, message: expect.stringMatching(/^gave up after 2 attempts/) },
    });
  });

  test('a create taken over from a dead worker is in doubt where nothing could be sent', async () => {
    const bench = await start({ definition });
    await bench.setMark(1, 'i dead.1 1');
    bench.stop.abort();
    const sending = sendingOf(bench, { expected: 'i dead.1 1', everUnknown: true });
    expect(await send(bench, bench.context, sending)).toMatchObject({
      kind: 'ended',
      end: { outcome: 'in-doubt', code: 'interrupted', attempts: 0 },
      mark: 'i dead.1 1',
    });
  });
});

describe('a permit', () => {
  test('is taken for an attempt and not for the waits between, so that others go meanwhile', async () => {
    const bench = await replying([busy(FAR_TOO_LONG_MS)], { concurrency: 1, rows: 2 });
    const first = send(bench);
    await until(async () => bench.attempts.length === 1 && bench.context.permits.taken() === 0);
    const sending = sendingOf(bench, { taker: 'me.2' });
    const row = { ...sending.task.row, row: 2 };
    const second = { ...sending, task: { ...sending.task, row, identityKey: 'K2' } };
    expect(await sendRow(second, bench.context)).toMatchObject({ end: { outcome: 'created' } });
    bench.stop.abort();
    expect(await first).toEqual({ kind: 'unsent' });
  });

  test('is waited for: no more requests than permits are in flight', async () => {
    let inFlight = 0;
    let most = 0;
    const bench = await start({
      concurrency: 2,
      attempt: async (n) => {
        inFlight += 1;
        most = Math.max(most, inFlight);
        await new Promise((resolve) => setImmediate(resolve));
        inFlight -= 1;
        return n % 2 === 0 ? busy(1) : created();
      },
    });
    const rows = Array.from({ length: 8 }, (_, i) => {
      const sending = sendingOf(bench, { taker: `me.${i}` });
      const row = { ...sending.task.row, row: i + 1 };
      return { ...sending, task: { ...sending.task, row, identityKey: `K${i + 1}` } };
    });
    const sent = await Promise.all(rows.map((sending) => send(bench, bench.context, sending)));
    expect(sent.every((s) => s.kind === 'ended')).toBe(true);
    expect([most, bench.context.permits.taken()]).toEqual([2, 0]);
  });

  test.each([
    ['ends', async () => created()],
    ['is unsent', async () => answer(401)],
    ['meets a bug', () => Promise.reject(new Error('a bug'))],
  ])('is given back when its row %s', async (_, attempt) => {
    const bench = await start({ attempt });
    await send(bench).catch((error: unknown) => {
      expect(error).toEqual(new Error('a bug'));
    });
    expect(bench.context.permits.taken()).toBe(0);
  });

  test('a bug in an attempt is thrown, never tried again', async () => {
    const bench = await start({ attempt: () => Promise.reject(new Error('a bug')) });
    await expect(send(bench)).rejects.toThrow('a bug');
    expect(bench.attempts).toHaveLength(1);
    // What the attempt did is not known: the row is not free.
    expect(await bench.mark(1)).toBe('i me.1 1.1');
  });
});
