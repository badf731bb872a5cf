import { describe, expect, test } from 'vitest';
import { createServicePermits, type RunPermits, type RunRate } from '../../src/delivery/run-permits.ts';
import { AHEAD_MS, type Reserved } from '../../src/engine/ledger/chunk-ledger.ts';
import { permitLine } from './permit-line.ts';
import { createVirtualTime, type VirtualTime } from './virtual-time.ts';

const BEHIND_MS = 40;

/** A run with a rate that may have so many permits at once. */
function joinPaced(
  time: VirtualTime,
  ceiling: number,
  rate: Pick<RunRate, 'intervalMs' | 'reserve'> & Partial<RunRate>,
) {
  const stop = new AbortController();
  const pause = async (ms: number) => (await time.pause(ms)) && !stop.signal.aborted;
  const troubles: unknown[] = [];
  const onTrouble = (error: unknown) => void troubles.push(error);
  const permits = createServicePermits(time.now).join({
    ceiling,
    stopping: stop.signal,
    rate: { pause, onTrouble, ...rate },
  });
  return { permits, troubles, stop: () => stop.abort() };
}

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
  /** That wait at once; by default as many as it may send. */
  readonly rows?: number;
  readonly answerMs?: number;
};

/** A worker with more rows than it can send. */
function startWorker({
  time,
  intervalMs,
  reserve,
  sent,
  slots = 20,
  rows = slots,
  answerMs = 50,
}: WorkerOptions): void {
  const { permits } = joinPaced(time, slots, { intervalMs, reserve });
  const wait = permitLine(permits);
  const sendRow = () =>
    wait(() => {
      sent.push(time.now());
      void time.pause(answerMs).then(() => permits.release(null));
      sendRow();
    });
  for (let n = 0; n < rows; n += 1) sendRow();
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

  test('reserves several times with one command where it has the permits', async () => {
    const time = createVirtualTime();
    const line = timeLine(time, 1);
    let asked = 0;
    const reserve = (times: number) => {
      asked += 1;
      return line(times);
    };
    const sent: number[] = [];
    startWorker({ time, intervalMs: 1, reserve, sent, slots: 50, answerMs: 10 });
    await time.goOn(5_000);
    expect(sent.length).toBeGreaterThan(4_900);
    expect(asked).toBeLessThan(sent.length / 8);
  });

  test('takes no time for a row that has no permit: what others could use is not lost', async () => {
    const time = createVirtualTime();
    let asked = 0;
    const reserve = async (times: number) => {
      asked += times;
      return { times, inMs: 0 };
    };
    const sent: number[] = [];
    startWorker({ time, intervalMs: 1, reserve, sent, slots: 3, rows: 10, answerMs: 10_000 });
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

describe('rows that wait for their times', () => {
  const told = (permits: RunPermits, rows: number) => {
    const answers: boolean[] = [];
    const wait = permitLine(permits);
    for (let n = 0; n < rows; n += 1) wait((isTaken) => answers.push(isTaken));
    return answers;
  };
  const soon = async (times: number) => ({ times, inMs: 10 });

  test('are told when the process ends, and keep no permit', async () => {
    const time = createVirtualTime();
    const { permits, stop } = joinPaced(time, 5, { intervalMs: 10, reserve: soon });
    const answers = told(permits, 3);
    await time.goOn(5);
    stop();
    await time.goOn(100);
    expect([answers, permits.inUse()]).toEqual([[false, false, false], 0]);
  });

  test('are told of trouble with the ledger, keep no permit, and those who come later are served', async () => {
    const time = createVirtualTime();
    let isAway = true;
    const reserve = async (times: number) => {
      if (isAway) throw new Error('no ledger');
      return { times, inMs: 0 };
    };
    const { permits, troubles } = joinPaced(time, 5, { intervalMs: 10, reserve });
    const answers = told(permits, 3);
    await time.goOn(10);
    expect([answers, permits.inUse()]).toEqual([[false, false, false], 0]);
    expect(troubles).toEqual([new Error('no ledger')]);
    isAway = false;
    const later = told(permits, 1);
    await time.goOn(20);
    expect([later, permits.inUse()]).toEqual([[true], 1]);
  });
});
