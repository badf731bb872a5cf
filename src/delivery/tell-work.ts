/**
 * Writes what this worker does to the ledger, for people who look: no row waits for it.
 */
import { hostname } from 'node:os';
import { forgetDoing, keepDoing } from '../engine/ledger/display.ts';
import type { LedgerKeys } from '../engine/ledger/keys.ts';
import type { Meter } from '../faces/metrics/meter.ts';
import type { RedisConnection } from '../lib/redis-connection.ts';
import type { Delivery } from './delivery.ts';

type Worker = {
  readonly redis: RedisConnection;
  readonly keys: LedgerKeys;
  readonly meter: Pick<Meter, 'attempts'>;
  readonly delivery: Pick<Delivery, 'load' | 'runsInHand'>;
};

/** Also without changes: a worker that is silent for a minute counts as gone. */
const EVERY_MS = 2_000;

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

export function createWorkTeller({ redis, keys, meter, delivery }: Worker, name: string) {
  let last = { at: Date.now(), made: meter.attempts() };
  return async (now: number): Promise<void> => {
    const made = meter.attempts();
    const rate = Math.round((1000 * (made - last.made)) / Math.max(1, now - last.at));
    last = { at: now, made };
    const runs = [...delivery.runsInHand()];
    await keepDoing(redis, keys, name, { at: now, ...delivery.load(), rate, runs });
  };
}
