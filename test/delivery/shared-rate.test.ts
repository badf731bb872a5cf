import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { createServicePermits } from '../../src/delivery/run-permits.ts';
import { reserveTimes } from '../../src/ledger/chunk-ledger.ts';
import { sleep } from '../../src/lib/waiting.ts';
import type { Reply } from '../../src/model/request.ts';
import { openTestEpoch } from '../support/epoch.ts';
import { useOwnRedis } from '../support/redis.ts';
import { ownKeys } from '../support/runs.ts';
import { until } from '../support/until.ts';

const own = useOwnRedis();
const ANSWER_MS = 40;
const created: Reply = { kind: 'response', status: 200, retryAfterMs: null, body: '', ms: ANSWER_MS };

type Worker = { kill(): void; stop(): void };

/** Starts workers of one run that share nothing but Redis, each with more rows than it can send. */
async function startRun(perSecond: number, sent: number[]) {
  const { redis } = own();
  const keys = ownKeys();
  const { rate } = keys.run('run-1');
  const intervalMs = 1000 / perSecond;
  return async (): Promise<Worker> => {
    const epoch = await openTestEpoch(redis, keys);
    const stop = new AbortController();
    let isAlive = true;
    const pause = async (ms: number) => {
      if (ms > 0) await sleep(ms, stop.signal);
      // One that is killed does nothing more, and gives nothing back.
      return isAlive ? !stop.signal.aborted : new Promise<boolean>(() => undefined);
    };
    const onTrouble = (error: unknown) => expect(error).toBeUndefined();
    const permits = createServicePermits({ now: () => performance.now() }).join({
      ceiling: 40,
      stopping: stop.signal,
      rate: {
        intervalMs,
        pause,
        onTrouble,
        reserve: (times) => reserveTimes(epoch, rate, { times, intervalMs }),
      },
    });
    const sendRow = () =>
      permits.wait((isTaken) => {
        if (!isTaken || !isAlive) return;
        sent.push(performance.now());
        void sleep(ANSWER_MS).then(() => permits.release(created));
        sendRow();
      });
    for (let n = 0; n < 60; n += 1) sendRow();
    return {
      kill() {
        isAlive = false;
      },
      stop: () => stop.abort(),
    };
  };
}

/** Three workers; with each second's worth of requests one is killed, another one ends, and others come. */
async function measure(
  perSecond: number,
): Promise<{ readonly sent: number[]; readonly stoodSeconds: number }> {
  const sent: number[] = [];
  const start = await startRun(perSecond, sent);
  const workers = [await start(), await start(), await start()];
  const loop = monitorEventLoopDelay();
  loop.enable();
  for (let second = 1; second <= 7; second += 1) {
    await until(() => sent.length >= second * perSecond);
    workers.shift()?.kill();
    workers.shift()?.stop();
    workers.push(await start(), await start());
  }
  for (const worker of workers) worker.stop();
  return { sent, stoodSeconds: loop.max / 1e9 };
}

/** The most within any window of that length. */
function fullest(times: readonly number[], windowMs: number): number {
  let from = 0;
  return times.reduce((most, at, i) => {
    while ((times[from] ?? at) <= at - windowMs) from += 1;
    return Math.max(most, i - from + 1);
  }, 0);
}

test('5, 80 and 1,000 requests a second are sent and no more, while workers come, end and are killed', async () => {
  const rates = [5, 80, 1000];
  const all = await Promise.all(rates.map(measure));
  for (const [i, { sent, stoodSeconds }] of all.entries()) {
    const seconds = ((sent.at(-1) ?? 0) - (sent[0] ?? 0)) / 1000;
    const rate = (sent.length - 1) / seconds / (rates[i] ?? 0);
    const most = fullest(sent, 1000) / (rates[i] ?? 0);
    // A machine that is busy with other tests is late; faults/long measures it alone.
    expect(rate).toBeGreaterThan(0.5);
    expect(rate).toBeLessThan(1.05);
    // What was due while this process stood still goes out when it goes on, beside what is due by then.
    expect(most).toBeLessThanOrEqual(1.1 + stoodSeconds + 1 / (rates[i] ?? 0));
  }
});
