import type { Redis } from 'ioredis';
import { type LedgerEpoch, openEpoch } from '../../src/ledger/epoch.ts';
import type { LedgerKeys } from '../../src/ledger/keys.ts';

/** The epoch of a ledger that nobody else works on. */
export function openSoleEpoch(redis: Redis, keys: LedgerKeys): Promise<LedgerEpoch> {
  return openEpoch({
    redis,
    key: keys.epoch,
    worker: 'sole',
    replay: async () => [],
    connected: async () => [],
    unfinished: async () => [],
    isGone: () => false,
    onNotice: () => undefined,
    onTrouble: () => undefined,
  });
}
