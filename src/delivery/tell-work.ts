/**
 * Writes what this worker does to the ledger, for people who look: no row waits for it.
 */
import { hostname } from 'node:os';
import { forgetDoing, keepDoing } from '../ledger/display.ts';
import type { LedgerKeys } from '../ledger/keys.ts';
import type { RedisConnection } from '../lib/redis-connection.ts';
import type { Meter } from '../metrics/meter.ts';
import type { Delivery } from './delivery.ts';

type Worker = {
  readonly redis: RedisConnection;
  readonly keys: LedgerKeys;
  readonly meter: Pick<Meter, 'attempts'>;
  readonly delivery: Pick<Delivery, 'load' | 'runsInHand'>;
};

const EVERY_MS = 2_000;
/** Also without changes: a worker that is silent for a minute counts as gone. */
const IDLE_EVERY_MS = 20_000;

/** Runs until the answered function is called. */
export function tellWork(worker: Worker): () => Promise<void> {
  const { redis, keys } = worker;
  const name = `${hostname()} ${process.pid}`;
  const tell = createWorkTeller(worker, name);
  // An absent Redis answers late: it is not asked twice, and the end does not wait for it.
  let isTelling = false;
  const tellAgain = async () => {
    if (isTelling) return;
    isTelling = true;
    await tell(Date.now()).catch(() => undefined);
    isTelling = false;
  };
  const timer = setInterval(() => void tellAgain(), EVERY_MS);
  return async () => {
    clearInterval(timer);
    if (redis.status === 'ready') await forgetDoing(redis, keys, name).catch(() => undefined);
  };
}

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
