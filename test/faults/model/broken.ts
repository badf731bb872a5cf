import type { ChunkLedger } from '../../../src/ledger/chunk-ledger.ts';
import type { Bend, World } from './world.ts';

/** Ledgers that are known to be wrong: a model that finds nothing in them proves nothing. */
export const BROKEN: Readonly<Record<string, Bend>> = {
  'one that grants every intent': {
    ledger: (ledger) => ({
      ...ledger,
      async intend(intent) {
        await ledger.intend(intent);
        return { kind: 'granted' };
      },
    }),
  },
  'one that overwrites a definite outcome': { ledger: overwriting },
  'one whose journal forgets intents': { journals: ({ kind }) => kind !== 'intended' },
  'one whose journal forgets outcomes': { journals: ({ kind }) => kind !== 'settled' },
  'one that sees no trace of the dead': {
    ledger: (ledger) => ({
      ...ledger,
      async take(chunk, rows) {
        const taken = await ledger.take(chunk, rows);
        const marks = [...taken.marks].filter(([, mark]) => mark.kind === 'settled');
        return { ...taken, suspect: false, marks: new Map(marks) };
      },
    }),
  },
};

/** It forgets the check of the mark on settling: that takes a long and narrow path to show. */
export const SETTLES_ANYTHING: Bend = { ledger: settlingAnything };

function settlingAnything(ledger: ChunkLedger, world: World): ChunkLedger {
  return {
    ...ledger,
    async settle(row) {
      const mark = await markOn(world, row.settlement.row);
      return ledger.settle({ ...row, mark: mark.startsWith('i ') ? mark : row.mark });
    },
  };
}

function overwriting(ledger: ChunkLedger, { redis, keys, run }: World): ChunkLedger {
  return {
    ...ledger,
    async settle(row) {
      await redis.hdel(`${keys.run(run.id).chunk}1`, String(row.settlement.row));
      return ledger.settle(row);
    },
  };
}

async function markOn({ redis, keys, run }: World, row: number): Promise<string> {
  return (await redis.hget(`${keys.run(run.id).chunk}1`, String(row))) ?? '';
}
