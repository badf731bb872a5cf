import { describe, expect, test } from 'vitest';
import { decodeLine, encodeLine } from '../../src/engine/recovery/journal/record.ts';
import { UsageError } from '../../src/lib/usage-error.ts';
import type { Reply } from '../../src/model/request.ts';
import { useOwnRedis } from '../support/redis.ts';
import { getEntry } from '../support/stored.ts';
import { until } from '../support/until.ts';
import {
  answer,
  type Bench,
  type BenchOptions,
  busy,
  chunkOf,
  created,
  deliverOn,
  LOST,
  NOT_SENT,
  serving,
  settlementsOf,
  startBench,
} from './row-bench.ts';

const own = useOwnRedis();
const start = (options: BenchOptions = {}) => startBench(own().redis, options);
/** A bench whose service answers `replies` in order; after the last one it creates. */
const replying = (replies: readonly Reply[], options: BenchOptions = {}) =>
  start({ ...options, attempt: (n) => replies[n - 1] ?? created() });

/** A bench whose service answers `replies` in order and looks into Redis as each attempt begins. */
async function watched(replies: readonly Reply[], options: BenchOptions = {}) {
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

/** Delivers row 1 to its end; `put-back`: it is unsent. */
async function send(bench: Bench, over: Parameters<typeof deliverOn>[2] = {}, job = chunkOf(bench, 1)) {
  const end = await deliverOn(bench, job, over);
  return { end, ...(await settlementsOf(bench))[0] };
}
const sendIn = (bench: Bench, context: Bench['context']) => send(bench, { context });
const UNSENT = { end: 'put-back' };

/** The intent under which row 1 was settled. */
function markOfSettled({ journal }: Bench): unknown {
  const stored = journal.records.map((record) => decodeLine(encodeLine(record).trimEnd()));
  return stored.flatMap((record) => (record?.kind === 'settled' ? record.entries : [])).at(-1)?.mark;
}

/** No test waits for it, and a run just does. */
const FAR_TOO_LONG_MS = 500_000;

describe('an attempt', () => {
  test('finds its intent in Redis as it begins', async () => {
    const { bench, seen } = await watched([created('made-7')]);
    expect(await send(bench)).toMatchObject({ end: 'closed', outcome: 'created', id: 'made-7', ms: 3 });
    expect([seen, markOfSettled(bench)]).toEqual([['i me.1 1.1'], 'i me.1 1.1']);
  });

  test('after one that may be repeated has an intent of its own', async () => {
    const { bench, seen } = await watched([NOT_SENT]);
    expect(await send(bench)).toMatchObject({ outcome: 'created', attempts: 2 });
    expect(seen).toEqual(['i me.1 1.1', 'i me.1 2.1']);
    expect(bench.journal.records.filter(({ kind }) => kind === 'withdrawn')).not.toEqual([]);
  });

  test('that meets a bug is never made again, and the row is not free: what it did is not known', async () => {
    const bench = await start({ attempt: () => Promise.reject(new Error('a bug')) });
    await expect(send(bench)).rejects.toThrow('a bug');
    expect([bench.attempts.length, await bench.mark(1)]).toEqual([1, 'i me.1 1.1']);
    expect(bench.context.permits.inUse()).toBe(0);
  });
});

describe('nothing is sent', () => {
  test('without a token: the trouble is thrown, and no intent is left', async () => {
    const bench = await start();
    const context = serving(bench, {
      token: () => Promise.reject(new UsageError('the token file is gone')),
    });
    await expect(sendIn(bench, context)).rejects.toThrow('the token file is gone');
    expect([bench.attempts, await bench.mark(1)]).toEqual([[], null]);
  });
});

describe('a key that Redis has forgotten the claim of', () => {
  /** Its claims are of another epoch: they are looked at. */
  const claimedBefore = (bench: Bench) => ({ ...chunkOf(bench, 1), claimed: 'an epoch before' });

  test('and that nobody has: it is claimed again with the intent', async () => {
    const { bench, seen } = await watched([]);
    const claims: Array<string | null> = [];
    const attempt: Bench['context']['service']['attempt'] = async (...args) => {
      claims.push(await getEntry(own().redis, bench.keys, 'K1'));
      return bench.context.service.attempt(...args);
    };
    const sent = await send(bench, { context: serving(bench, { attempt }) }, claimedBefore(bench));
    expect([sent.end, seen]).toEqual(['closed', ['i me.1 1.1']]);
    expect(claims).toEqual([`c ${bench.context.run.id} 1 `]);
  });
});

describe('a row that is sent', () => {
  test.each<[string, (bench: Bench) => unknown]>([
    ['the process ends', ({ stop }) => stop.abort()],
    ['the run is paused elsewhere', ({ turn }) => turn('paused')],
  ])('is free in the ledger while it waits, however long, and unsent when %s', async (_, ends) => {
    const bench = await replying([busy(FAR_TOO_LONG_MS)]);
    const sent = send(bench);
    await until(async () => bench.attempts.length === 1 && (await bench.mark(1)) === null);
    await ends(bench);
    expect(await sent).toEqual(UNSENT);
    expect([bench.attempts.length, await bench.mark(1), bench.pauses]).toEqual([1, null, []]);
  });

  test('is free, or its end is recorded, where the breaker could not be told', async () => {
    const untold = async (reply: Reply) => {
      const bench = await replying([reply]);
      const failed = () => Promise.reject(new Error('BUSY'));
      const context = { ...bench.context, breaker: { ...bench.context.breaker, failed } };
      return { bench, sent: sendIn(bench, context) };
    };
    const throttled = await untold(busy(FAR_TOO_LONG_MS));
    await until(async () => (await throttled.bench.mark(1)) === null && throttled.bench.troubles.length > 0);
    throttled.bench.stop.abort();
    expect(await throttled.sent).toEqual(UNSENT);
    const lost = await untold(LOST);
    expect(await lost.sent).toMatchObject({ end: 'closed', outcome: 'in-doubt', code: 'connection_lost' });
  });

  test('holds no permit while it waits, so that others go meanwhile', async () => {
    const bench = await replying([busy(FAR_TOO_LONG_MS)], { concurrency: 1, rows: 2 });
    const end = deliverOn(bench, chunkOf(bench, 2));
    await until(async () => (await settlementsOf(bench)).length === 1);
    expect(await settlementsOf(bench)).toMatchObject([{ row: 2, outcome: 'created' }]);
    expect(bench.context.permits.inUse()).toBe(0);
    bench.stop.abort();
    expect(await end).toBe('put-back');
  });
});

describe('a limit', () => {
  const LIMIT_403 = answer(403, '', 1);

  test.each<[string, readonly Reply[], object]>([
    ['and again with no success between: denied', [LIMIT_403, LIMIT_403], { outcome: 'denied', attempts: 2 }],
    ['and then not: as if nothing had been', [LIMIT_403], { outcome: 'created', attempts: 2 }],
  ])('by 403 that names a time %s', async (_, replies, end) => {
    expect(await send(await replying(replies))).toMatchObject(end);
  });

  test('by 403 is one for a row again where another worker of the run got a row through', async () => {
    const bench = await replying([LIMIT_403, LIMIT_403, LIMIT_403]);
    const run = await bench.run();
    const created = [0, 5];
    const latest = async () => ({ ...run, outcomes: { ...run.outcomes, created: created.shift() ?? 5 } });
    expect(await sendIn(bench, { ...bench.context, latest })).toMatchObject({
      outcome: 'denied',
      attempts: 3,
    });
  });

  test('that turns others away, too, makes no row fail: each sign of it begins the count anew', async () => {
    const bench = await replying(Array.from({ length: 30 }, () => answer(429, '', 1)));
    const { breaker } = bench.context;
    let signs = 0;
    const passage = () => {
      signs += 1;
      return { accepted: 100 * signs, signs };
    };
    const context = { ...bench.context, breaker: { ...breaker, passage } };
    expect(await sendIn(bench, context)).toMatchObject({ outcome: 'created', attempts: 31 });
  });
});

describe('rows with a rate', () => {
  test('that waited for the service together take new permits, and do not go at once', async () => {
    const times: number[] = [];
    const bench = await start({
      rows: 5,
      definition: { send: { rate: '10/s' } },
      attempt: () => {
        times.push(performance.now());
        return created();
      },
    });
    // So long that the permits which all have at first are behind them.
    const hold = { mark: 'another', status: 429, afterMs: 800, isReached: true, cause: '' };
    const held = performance.now();
    await bench.context.breaker.failed(hold);
    expect(await deliverOn(bench, chunkOf(bench, 5))).toBe('closed');
    // The hold and four intervals, less a moment that may be made up for; the first attempt itself may be late.
    expect((times.at(-1) ?? 0) - held).toBeGreaterThan(1_100);
  });

  test('take no permit any more of a run that is paused elsewhere', async () => {
    const bench = await start({ rows: 2, definition: { send: { rate: '1/h' } } });
    await bench.context.ledger.reserve(1, 3_600_000);
    const sent = deliverOn(bench, chunkOf(bench, 2));
    await bench.turn('paused', 'requested');
    expect(await sent).toMatch(/^put-/);
    const { rate } = bench.keys.run(bench.context.run.id);
    const free = await own().redis.get(rate);
    expect(await deliverOn(bench, chunkOf(bench, 2), { fencingToken: 'me.2' })).toBe('put-aside');
    expect([bench.attempts, await own().redis.get(rate)]).toEqual([[], free]);
  });
});

test.each([
  [119_999, []],
  [120_000, ['service-away']],
])(
  'a service that gave no definite answer for %i ms, with creates whose answers are lost, pauses the run as %j',
  async (awayMs, pauses) => {
    const bench = await replying([LOST], { definition: { send: { awayMinutes: 2 } } });
    const context = { ...bench.context, breaker: { ...bench.context.breaker, awayFor: () => awayMs } };
    expect(await sendIn(bench, context)).toMatchObject({ outcome: 'in-doubt' });
    expect(bench.pauses).toEqual(pauses);
  },
);
