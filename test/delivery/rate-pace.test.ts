import { describe, expect, test } from 'vitest';
import { createRatePace, type RatePace } from '../../src/delivery/rate-pace.ts';
import { AHEAD_MS, type Reserved } from '../../src/ledger/chunk-ledger.ts';
import { createVirtualTime, type VirtualTime } from './virtual-time.ts';

const BEHIND_MS = 40;

/** The run's time line as the ledger keeps it. */
function timeLine(time: VirtualTime, intervalMs: number): (times: number) => Promise<Reserved> {
  let free = time.now();
  return async (wanted) => {
    const now = time.now();
    const first = Math.max(now - BEHIND_MS, free);
    const times = Math.min(wanted, Math.floor((now + AHEAD_MS - first) / intervalMs) + 1);
    if (times < 1) return { times: 0, inMs: first - AHEAD_MS - now };
    free = first + times * intervalMs;
    return { times, inMs: first - now };
  };
}

type WorkerOptions = {
  readonly time: VirtualTime;
  readonly intervalMs: number;
  readonly reserve: (times: number) => Promise<Reserved>;
  readonly sent: number[];
  readonly slots?: number;
  readonly answerMs?: number;
};

/** A worker with more rows than it can send, until it is killed: it says nothing more then, and its times are lost. */
function startWorker({ time, intervalMs, reserve, sent, slots = 20, answerMs = 50 }: WorkerOptions) {
  let taken = 0;
  let alive = true;
  const permits = {
    async take() {
      while (taken >= slots) await time.pause(1);
      taken += 1;
      return true;
    },
    release: () => {
      taken -= 1;
    },
    free: () => slots - taken,
  };
  const never = new Promise<boolean>(() => undefined);
  const pause = (ms: number) => (alive ? time.pause(ms).then((on) => (alive ? on : never)) : never);
  const pace = createRatePace({ intervalMs, reserve, permits, pause, now: time.now });
  const sendRows = async () => {
    while (alive && (await pace.next(false))) {
      sent.push(time.now());
      void time.pause(answerMs).then(permits.release);
    }
  };
  for (let n = 0; n < slots; n += 1) void sendRows();
  const kill = () => {
    alive = false;
  };
  return { kill };
}

const between = (sent: readonly number[], from: number, to: number) =>
  sent.filter((at) => at >= from && at < to).length;

describe('a worker that is alone', () => {
  test.each([
    [5, 20],
    [50, 20],
    [350, 20],
    [1000, 60],
  ])('sends %i a second, evenly', async (perSecond, slots) => {
    const time = createVirtualTime();
    const intervalMs = 1000 / perSecond;
    const sent: number[] = [];
    startWorker({ time, intervalMs, reserve: timeLine(time, intervalMs), sent, slots });
    await time.goOn(10_000);
    expect(Math.abs(sent.length - 10 * perSecond)).toBeLessThanOrEqual(1 + perSecond / 20);
    const seconds = Array.from({ length: 10 }, (_, i) => between(sent, 1000 * i, 1000 * (i + 1)));
    for (const each of seconds) expect(each).toBeLessThanOrEqual(1.05 * perSecond + 1);
  });

  test('takes no time for a row that has no permit: what others could use is not lost', async () => {
    const time = createVirtualTime();
    let asked = 0;
    const reserve = async (times: number) => {
      asked += times;
      return { times, inMs: 0 };
    };
    const sent: number[] = [];
    startWorker({ time, intervalMs: 1, reserve, sent, slots: 3, answerMs: 10_000 });
    await time.goOn(5_000);
    expect([sent.length, asked]).toEqual([3, 3]);
  });

  test('sends nothing for the times that it missed', async () => {
    const time = createVirtualTime();
    const sent: number[] = [];
    let calls = 0;
    // Ten at first, the earliest long over: as if it had stood still meanwhile.
    const reserve = async () => {
      calls += 1;
      return { times: 10, inMs: calls === 1 ? -100 : 0 };
    };
    startWorker({ time, intervalMs: 10, reserve, sent, answerMs: 1 });
    await time.goOn(0);
    expect(sent.length).toBeLessThan(10);
  });
});

describe('workers that share a rate', () => {
  test.each([5, 50, 1000])('%i a second hold while workers come and are killed', async (perSecond) => {
    const time = createVirtualTime();
    const intervalMs = 1000 / perSecond;
    const sent: number[] = [];
    const options = { time, intervalMs, reserve: timeLine(time, intervalMs), sent };
    const workers = [1, 2, 3].map(() => startWorker(options));
    for (let second = 1; second <= 30; second += 1) {
      await time.goOn(1000 * second);
      if (second % 3 === 0) workers.shift()?.kill();
      if (second % 3 === 0) workers.push(startWorker(options));
    }
    const rate = between(sent, 0, 30_000) / 30;
    expect(rate / perSecond).toBeGreaterThan(0.95);
    expect(rate / perSecond).toBeLessThan(1.05);
    for (let from = 0; from <= 25_000; from += 500)
      expect(between(sent, from, from + 5000)).toBeLessThanOrEqual(5 * perSecond * 1.05 + 1);
  });
});

describe('a run that ends', () => {
  const bare = (over: object) => {
    const time = createVirtualTime();
    const held = { permits: 0 };
    const permits = {
      take: async () => {
        held.permits += 1;
        return true;
      },
      release: () => {
        held.permits -= 1;
      },
      free: () => 5,
    };
    const reserve = async (times: number) => ({ times, inMs: 10 });
    const edges = { intervalMs: 10, reserve, permits, pause: time.pause, now: time.now, ...over };
    return { pace: createRatePace(edges), held };
  };
  const three = (pace: RatePace) => Promise.allSettled([1, 2, 3].map(() => pace.next(false)));

  test('while its rows wait for their times lets none go, and keeps no permit', async () => {
    const { pace, held } = bare({ pause: async (ms: number) => ms <= 0 });
    expect(await three(pace)).toEqual(Array(3).fill({ status: 'fulfilled', value: false }));
    expect(held.permits).toBe(0);
  });

  test('while they wait for a permit lets none go', async () => {
    const permits = { take: async () => false, release: () => undefined, free: () => 0 };
    const { pace } = bare({ permits });
    expect(await three(pace)).toEqual(Array(3).fill({ status: 'fulfilled', value: false }));
  });

  test('by trouble with the ledger tells it to every row, keeps no permit, and serves those who come later', async () => {
    let troubles = 1;
    const reserve = async (times: number) => {
      troubles -= 1;
      if (troubles === 0) throw new Error('no ledger');
      return { times, inMs: 0 };
    };
    const { pace, held } = bare({ reserve });
    const ends = await three(pace);
    expect(ends.map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
    expect([await pace.next(false), held.permits]).toEqual([true, 1]);
  });
});

test('a row that is tried again goes before the others', async () => {
  const time = createVirtualTime();
  const order: string[] = [];
  const permits = { take: async () => true, release: () => undefined, free: () => 5 };
  const reserve = timeLine(time, 10);
  const pace = createRatePace({ intervalMs: 10, reserve, permits, pause: time.pause, now: time.now });
  const ask = (name: string, isFirst: boolean) => pace.next(isFirst).then(() => order.push(name));
  const all = [ask('a', false), ask('b', false), ask('again', true)];
  await time.goOn(100);
  await Promise.all(all);
  expect(order[0]).toBe('again');
});
