import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { RowJournal } from '../../src/engine/ledger/exchange.ts';
import type { LedgerKeys } from '../../src/engine/ledger/keys.ts';
import { type LedgerEpoch, openEpoch } from '../../src/engine/recovery/epoch.ts';
import type { EpochEdges } from '../../src/engine/recovery/verification.ts';
import { atTestEnd } from './at-test-end.ts';

/** Of a worker that has nothing to put back, knows of nobody and tells nobody. */
export const quietEdges = {
  dropTornEnds: async () => undefined,
  recount: async () => true,
  hasOlderJournal: async () => false,
  knows: () => undefined,
  replay: async () => [],
  connected: async () => [],
  doubt: async () => undefined,
  isDead: () => false,
  onLost: () => undefined,
  onNotice: () => undefined,
  onTrouble: () => undefined,
} satisfies Partial<EpochEdges>;

/** A worker of the keys' ledger that has nothing to put back; it leaves with the test. */
export async function openTestEpoch(
  redis: Redis,
  keys: LedgerKeys,
  over: Partial<EpochEdges> = {},
): Promise<LedgerEpoch> {
  const epoch = await openEpoch({
    redis,
    keys,
    worker: `worker-${randomBytes(6).toString('hex')}`,
    ...quietEdges,
    ...over,
  });
  // A worker whose connection the test has ended can't leave.
  atTestEnd(() => epoch.close().catch(() => undefined));
  return epoch;
}

type RowRecord = Parameters<RowJournal['write']>[0];

export type MemoryJournal = RowJournal & {
  /** All that was written and noted, in order. */
  readonly records: RowRecord[];
  /** From now on it can be written. */
  mend(): void;
};

/** A journal that is kept in memory; a `problem` makes every write fail. */
export function memoryJournal(problem: string | null = null): MemoryJournal {
  const records: RowRecord[] = [];
  const state = { problem };
  return {
    records,
    mend() {
      state.problem = null;
    },
    async write(record) {
      if (state.problem !== null) throw new Error(state.problem);
      records.push(record);
    },
    note: (record) => void records.push(record),
  };
}
