/**
 * Tells the ledger what this worker does, for people who look: every two seconds, from what the process
 * counts anyway, so that no row waits for it. That Redis is away, or takes nothing, costs what would
 * have been told.
 */
import { hostname } from 'node:os';
import { forgetDoing, keepDoing } from '../ledger/doing.ts';
import type { LedgerKeys } from '../ledger/keys.ts';
import type { RedisConnection } from '../lib/redis-connection.ts';
import { sleep } from '../lib/waiting.ts';
import type { Meter } from '../metrics/meter.ts';
import type { Delivery } from './delivery.ts';

type Worker = {
  readonly redis: RedisConnection;
  readonly keys: LedgerKeys;
  readonly meter: Pick<Meter, 'attempts'>;
  readonly delivery: Pick<Delivery, 'load' | 'runsInHand'>;
};

const EVERY_MS = 2_000;
/** So often it is told also where nothing has changed: others take a worker that is silent for longer than a minute for gone. */
const IDLE_EVERY_MS = 20_000;

/** Tells until the answered function is called. */
export function tellWork(worker: Worker): () => Promise<void> {
  const stop = new AbortController();
  const told = tellUntil(stop.signal, createWorkTeller(worker, `${hostname()} ${process.pid}`));
  return async () => {
    stop.abort();
    await told;
    const { redis, keys } = worker;
    if (redis.status !== 'ready') return;
    await forgetDoing(redis, keys, `${hostname()} ${process.pid}`).catch(() => undefined);
  };
}

async function tellUntil(stop: AbortSignal, tell: (now: number) => Promise<void>): Promise<void> {
  // A Redis that is away answers late: it is not asked a second time meanwhile, and the end does not wait for it.
  let isTelling = false;
  while (!stop.aborted) {
    if (!isTelling) {
      isTelling = true;
      void tell(Date.now())
        .catch(() => undefined)
        .finally(() => {
          isTelling = false;
        });
    }
    await sleep(EVERY_MS, stop);
  }
}

/** Makes the function that tells what has come about since it was called last. */
export function createWorkTeller(worker: Worker, name: string) {
  const { redis, keys, meter, delivery } = worker;
  let before = meter.attempts();
  let last = { at: Date.now(), work: '', wroteAt: Number.NEGATIVE_INFINITY };
  return async (now: number): Promise<void> => {
    const made = meter.attempts();
    const rate = Math.round((1000 * (made - before)) / Math.max(1, now - last.at));
    before = made;
    const doing = { ...delivery.load(), rate, runs: [...delivery.runsInHand()] };
    const work = JSON.stringify(doing);
    const isDue = work !== last.work || now - last.wroteAt >= IDLE_EVERY_MS;
    last = { at: now, work, wroteAt: isDue ? now : last.wroteAt };
    if (isDue) await keepDoing(redis, keys, name, { at: now, ...doing });
  };
}
