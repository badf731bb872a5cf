import type { Redis } from 'ioredis';
import { z } from 'zod';
import { inEpoch, type LedgerEpoch, openEpoch, SILENT_MS } from '../../src/ledger/epoch.ts';
import { type LedgerKeys, ledgerKeys } from '../../src/ledger/keys.ts';
import { HEARTBEAT } from '../../src/ledger/lua/epoch.ts';
import { readUsage, usedBetween } from './redis-usage.ts';

/** What a worker's sign of life costs where there are so many members; one that is due to look at all of them costs `lookMicros`. */
type BeatCost = {
  readonly members: number;
  readonly commands: number;
  readonly redisMicros: number;
  readonly lookMicros: number;
};

const BEATS = 200;
const beat = inEpoch(HEARTBEAT, z.tuple([z.string()]).rest(z.string()));
const NEVER_DUE = Number.MAX_SAFE_INTEGER;
const ALWAYS_DUE = 0;

/** Measures it with the program's own script; the Redis must be empty. */
export async function beatCost(redis: Redis, members: number): Promise<BeatCost> {
  const keys = ledgerKeys('sandbox');
  const epoch = await openSoleEpoch(redis, keys);
  try {
    // None is silent, however long it is measured.
    const alive = Date.now() + 3_600_000;
    for (let n = 1; n < members; n += 1)
      await redis.hset(keys.epoch, { [`m:${n}`]: 1, [`b:${n}`]: alive, [`k:${n}`]: alive });
    const give = (sweepMs: number, roster: string) =>
      epoch.call(beat, [], [SILENT_MS, SILENT_MS, sweepMs, roster]);
    const [roster] = await give(ALWAYS_DUE, '');
    const usedFor = async (sweepMs: number) => {
      const before = await readUsage(redis);
      for (let n = 0; n < BEATS; n += 1) await give(sweepMs, roster);
      return usedBetween(before, await readUsage(redis));
    };
    await usedFor(NEVER_DUE);
    const used = await usedFor(NEVER_DUE);
    const looks = await usedFor(ALWAYS_DUE);
    return {
      members,
      commands: used.commands / BEATS,
      redisMicros: used.cpuMicros / BEATS,
      lookMicros: looks.cpuMicros / BEATS,
    };
  } finally {
    await epoch.close();
  }
}

/** The epoch of a ledger that nobody else works on. */
export function openSoleEpoch(redis: Redis, keys: LedgerKeys): Promise<LedgerEpoch> {
  return openEpoch({
    redis,
    key: keys.epoch,
    worker: 'sole',
    leaveTornEnds: async () => undefined,
    recount: async () => undefined,
    replay: async () => [],
    connected: async () => [],
    unfinished: async () => [],
    isGone: () => false,
    onNotice: () => undefined,
    onTrouble: () => undefined,
  });
}
