import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { type GateEdges, type LedgerGate, openGate } from '../../src/ledger/epoch.ts';
import type { RowJournal, RowRecord } from '../../src/ledger/intents.ts';
import type { LedgerKeys } from '../../src/ledger/keys.ts';
import { atTestEnd } from './at-test-end.ts';

/** A member of the keys' ledger that has nothing to put back; it leaves with the test. */
export async function openTestGate(
  redis: Redis,
  keys: LedgerKeys,
  over: Partial<GateEdges> = {},
): Promise<LedgerGate> {
  const gate = await openGate({
    redis,
    key: keys.gate,
    member: `member-${randomBytes(6).toString('hex')}`,
    replay: async () => [],
    connected: async () => [],
    unfinished: async () => [],
    isGone: () => false,
    onNotice: () => undefined,
    onTrouble: () => undefined,
    ...over,
  });
  // A member whose connection the test has ended can't leave.
  atTestEnd(() => gate.close().catch(() => undefined));
  return gate;
}

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
