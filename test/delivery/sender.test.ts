import { describe, expect, test } from 'vitest';
import { createServicePermits, type RunRate } from '../../src/delivery/run-permits.ts';
import type { Reply } from '../../src/model/request.ts';
import { deferred } from '../support/deferred.ts';
import { memoryJournal } from '../support/epoch.ts';
import { useOwnRedis } from '../support/redis.ts';
import { until } from '../support/until.ts';
import { permitLine } from './permit-line.ts';
import {
  type Attempt,
  answer,
  type Bench,
  type BenchOptions,
  chunkOf,
  created,
  deliverOn,
  startBench,
} from './row-bench.ts';

const own = useOwnRedis();
const start = (options: BenchOptions = {}) => startBench(own().redis, options);
const deliver = (bench: Bench, rows: number, fencingToken = 'me.1') =>
  deliverOn(bench, chunkOf(bench, rows), { fencingToken });

/** Places of a process of which another run has all 20; `free` gives some of them back. */
function crowdedPermits() {
  const permits = createServicePermits(() => performance.now());
  const join = (stopping = new AbortController().signal, rate: RunRate | null = null) =>
    permits.join({ ceiling: 20, stopping, rate });
  const other = join();
  while (other.tryTake());
  const free = (count: number) => {
    for (let place = 0; place < count; place += 1) other.release(created());
  };
  /** The other run takes what comes free. */
  const crowd = () => permitLine(other)(() => undefined);
  return { joined: join(), join, free, crowd };
}

/** A service that answers when it is told to. */
function heldAnswers() {
  const open: Array<(reply: Reply) => void> = [];
  return {
    attempt: () => new Promise<Reply>((resolve) => open.push(resolve)),
    open,
    next: (reply: Reply) => open.shift()?.(reply),
  };
}

const marks = async (bench: Bench, rows: number) =>
  Promise.all(Array.from({ length: rows }, (_, i) => bench.mark(i + 1)));
const intended = async (bench: Bench, rows: number) =>
  (await marks(bench, rows)).filter((mark) => mark?.startsWith('i ')).length;

test('rows that start together have their intents in one command, and those that end together their outcomes', async () => {
  const bench = await start({ rows: 40, concurrency: 40 });
  expect(await deliver(bench, 40)).toBe('closed');
  const kinds = bench.journal.records.map(({ kind }) => kind);
  expect(new Set(kinds)).toEqual(new Set(['intended', 'settled']));
  expect(kinds.filter((kind) => kind === 'intended').length).toBeLessThan(10);
  expect(kinds.filter((kind) => kind === 'settled').length).toBeLessThan(10);
  expect((await bench.run()).outcomes.created).toBe(40);
});

test('on a slow service no more rows have an intent than are in flight', async () => {
  const service = heldAnswers();
  const bench = await start({ rows: 10, concurrency: 3, attempt: service.attempt });
  const end = deliver(bench, 10);
  await until(() => bench.attempts.length === 3);
  expect(await intended(bench, 10)).toBe(3);
  // One of them may be the probe of a service that was away: its mark is no other's.
  expect(new Set(await marks(bench, 3)).size).toBe(3);
  for (let row = 1; row <= 10; row += 1) {
    await until(() => service.open.length > 0);
    service.next(created(`made-${row}`));
  }
  expect(await end).toBe('closed');
});

test('under a rate no row has an intent before its permit: a worker that dies leaves none in doubt that has not gone', async () => {
  const { join, free } = crowdedPermits();
  const reserve = async (times: number) => ({ times, inMs: 0 });
  const rate = { intervalMs: 1, reserve, pause: async () => true, onTrouble: () => undefined };
  const joined = join(undefined, rate);
  let wanted = 0;
  const want: typeof joined.want = (count, wake) => {
    wanted = count;
    joined.want(count, wake);
  };
  const over = { permits: { ...joined, want } };
  const bench = await start({ rows: 3, definition: { send: { rate: '1000/s' } }, over });
  const end = deliver(bench, 3);
  await until(() => wanted === 3);
  expect(await intended(bench, 3)).toBe(0);
  free(20);
  expect(await end).toBe('closed');
});

describe('rows that have their intent and wait for a permit', () => {
  /** Row 1 is in flight, the others wait for a permit that another run has. */
  async function waitingRows(rows: number, attempt: Attempt) {
    const { joined, free } = crowdedPermits();
    free(1);
    const bench = await start({ rows, attempt, over: { permits: joined } });
    const end = deliver(bench, rows);
    await until(async () => bench.attempts.length === 1 && (await intended(bench, rows)) > 1);
    return { bench, end, free };
  }

  test('are unsent when the process ends, and nothing says that they were sent', async () => {
    const service = heldAnswers();
    const { bench, end } = await waitingRows(4, service.attempt);
    bench.stop.abort();
    service.next(created());
    expect(await end).toBe('put-back');
    expect(await marks(bench, 4)).toEqual([expect.stringMatching(/^\[/), null, null, null]);
    expect(await intended(bench, 4)).toBe(0);
    expect(bench.attempts).toHaveLength(1);
  });

  test('are unsent when the process ends while another run keeps every permit', async () => {
    const bench = await start({ rows: 1, over: { permits: crowdedPermits().joined } });
    const end = deliver(bench, 1);
    await until(async () => (await intended(bench, 1)) === 1);
    bench.stop.abort();
    expect([await end, await intended(bench, 1), bench.attempts]).toEqual(['put-back', 0, []]);
  });

  test('do not go when the service asks to be left alone, but ask again', async () => {
    const service = heldAnswers();
    const { bench, end, free } = await waitingRows(3, service.attempt);
    service.next(answer(429, '', 86_400_000));
    await until(async () => (await intended(bench, 3)) === 0);
    free(19);
    expect(bench.attempts).toHaveLength(1);
    await bench.turn('paused', 'requested');
    expect(await end).toBe('put-back');
    expect(bench.attempts).toHaveLength(1);
  });
});

test('a run that ends while the ledger is asked for more of its rows sends none of them', async () => {
  const stop = new AbortController();
  const { join, free, crowd } = crowdedPermits();
  const joined = join(stop.signal);
  free(1);
  const service = heldAnswers();
  const bench = await start({
    rows: 6,
    attempt: service.attempt,
    over: { permits: joined, stopping: stop.signal },
  });
  const { ledger } = bench.context;
  const late = deferred<void>();
  let asked = 0;
  const exchange: typeof ledger.exchange = async (rows) => {
    asked += 1;
    if (asked === 2) await late.promise;
    return ledger.exchange(rows);
  };
  const context = { ...bench.context, ledger: { ...ledger, exchange } };
  const end = deliverOn(bench, chunkOf(bench, 6), { context });
  await until(() => service.open.length === 1 && asked === 2);
  crowd();
  stop.abort();
  service.next(created());
  await until(async () => context.permits.inUse() === 0);
  late.resolve();
  expect(await end).toBe('put-back');
  expect(bench.attempts).toHaveLength(1);
});

test('rows that were asked for before the service asked to be left alone do not go by what is granted after', async () => {
  const { joined, free } = crowdedPermits();
  free(1);
  const service = heldAnswers();
  const bench = await start({ rows: 6, attempt: service.attempt, over: { permits: joined } });
  const { ledger } = bench.context;
  const late = deferred<void>();
  let isLate = false;
  let granted = 0;
  const exchange: typeof ledger.exchange = async (rows) => {
    const answer = await ledger.exchange(rows);
    granted += answer.granted.size;
    if (isLate) await late.promise;
    return answer;
  };
  const context = { ...bench.context, ledger: { ...ledger, exchange } };
  const end = deliverOn(bench, chunkOf(bench, 6), { context });
  await until(() => bench.attempts.length === 1 && granted === 3);
  isLate = true;
  free(2);
  await until(() => bench.attempts.length === 3 && granted > 3);
  service.next(answer(429, '', 86_400_000));
  await until(async () => (await bench.redis.hexists(bench.keys.breaker, 'hold')) === 1);
  isLate = false;
  // What is granted now could go at once.
  free(17);
  late.resolve();
  await until(async () => (await intended(bench, 6)) === 2);
  service.next(created('made-2'));
  service.next(created('made-3'));
  await bench.turn('paused', 'requested');
  expect(await end).toBe('put-back');
  expect(bench.attempts).toHaveLength(3);
});

describe('a chunk that is lost between an intent and the first byte', () => {
  /** The worker's lease is gone as soon as the intent is on the disk. */
  async function deliverLost(options: BenchOptions, prepare: (bench: Bench) => Promise<unknown>) {
    const journal = memoryJournal();
    let isHeld = true;
    const write: typeof journal.write = async (record) => {
      await journal.write(record);
      if (record.kind === 'intended') isHeld = false;
    };
    const bench = await start({ rows: 1, journal: { ...journal, write }, ...options });
    await prepare(bench);
    const lease = { isHeld: () => isHeld };
    const end = await deliverOn(bench, chunkOf(bench, 1), { lease });
    return { bench, end };
  }

  test('sends nothing, and the row is unsent again', async () => {
    const { bench, end } = await deliverLost({}, async () => undefined);
    expect([end, bench.attempts, await bench.mark(1)]).toEqual(['put-back', [], null]);
  });
});

describe('a row that has waited for its permit since its intent was granted', () => {
  /** Row 1 is at the service, row 2 is ready and has waited: another run has all other permits. */
  async function startReady() {
    const { joined, free } = crowdedPermits();
    free(1);
    const service = heldAnswers();
    let later = 0;
    const over = { permits: joined, now: () => performance.now() + later };
    const bench = await start({ rows: 2, over, attempt: service.attempt });
    let granted = 0;
    /** What is granted by itself: the answer to the second time of asking. */
    const again = { granted: 0, answer: Promise.resolve() };
    const { ledger } = bench.context;
    const exchange: typeof ledger.exchange = async (rows) => {
      const answer = await ledger.exchange(rows);
      if (rows.next === undefined || rows.next.length === 0) granted += answer.granted.size;
      else {
        again.granted += [...answer.granted.values()].filter(({ kind }) => kind === 'granted').length;
        await again.answer;
      }
      return answer;
    };
    const context = { ...bench.context, ledger: { ...ledger, exchange } };
    const end = deliverOn(bench, chunkOf(bench, 2), { context });
    await until(() => bench.attempts.length === 1 && granted === 2);
    later = 2_000;
    return { bench, end, service, again, free: () => free(1) };
  }

  test('does not go where the run was paused meanwhile, and is unsent again', async () => {
    const { bench, end, service, free } = await startReady();
    await bench.turn('paused', 'requested');
    free();
    await until(async () => (await intended(bench, 2)) === 1);
    service.next(created('made-1'));
    expect(await end).toBe('put-back');
    expect([bench.attempts.length, (await bench.run()).outcomes.created]).toEqual([1, 1]);
  });

  test('does not go by what is granted again while the service asks to be left alone', async () => {
    const { bench, end, service, again, free } = await startReady();
    const late = deferred<void>();
    again.answer = late.promise;
    free();
    await until(() => again.granted === 1);
    service.next(answer(429, '', 86_400_000));
    await until(async () => (await bench.redis.hexists(bench.keys.breaker, 'hold')) === 1);
    again.answer = Promise.resolve();
    late.resolve();
    await until(async () => (await intended(bench, 2)) === 0);
    await bench.turn('paused', 'requested');
    expect([await end, bench.attempts.length]).toEqual(['put-back', 1]);
  });

  test('does not go where another take has it in doubt since', async () => {
    const { bench, end, service, free } = await startReady();
    expect(await deliver(bench, 2, 'me.2')).toBe('closed');
    expect((await bench.run()).outcomes['in-doubt']).toBe(2);
    free();
    service.next(created('made-1'));
    await end;
    expect(bench.attempts).toHaveLength(1);
    expect((await bench.run()).outcomes).toMatchObject({ created: 1, 'in-doubt': 1 });
  });
});
