import type { Redis } from 'ioredis';
import { type LedgerGate, openGate } from '../../src/ledger/epoch.ts';
import type { LedgerKeys } from '../../src/ledger/keys.ts';



/** The gate of a ledger that nobody else works on. */
export function openSoleGate(redis: Redis, keys: LedgerKeys): Promise<LedgerGate> {
  return openGate({
    redis,
    key: keys.gate,
    member: 'sole',
    replay: async () => [],
    connected: async () => [],
    unfinished: async () => [],
    isGone: () => false,
    onNotice: () => undefined,
    onTrouble: () => undefined,
  });
}
