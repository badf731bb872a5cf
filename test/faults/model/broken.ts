import type { ChunkLedger } from '../../../src/engine/ledger/chunk-ledger.ts';
import type { Granted } from '../../../src/engine/ledger/intent.ts';
import { setChunk } from '../../support/stored.ts';
import type { Bend, World } from './world.ts';

/** Ledgers that are known to be wrong: a model that finds nothing in them proves nothing. */
export const BROKEN: Readonly<Record<string, Bend>> = {
  'one that grants every intent': {
    ledger: (ledger) => ({
      ...ledger,
      async exchange(rows) {
        const answer = await ledger.exchange(rows);
        const granted = [...answer.granted.keys()].map((row): [number, Granted] => [
          row,
          { kind: 'granted' },
        ]);
        return { ...answer, granted: new Map(granted) };
      },
    }),
  },
  'one that overwrites a definite outcome': { ledger: overwriting },
  'one whose journal forgets intents': { journals: ({ kind }) => kind !== 'intended' },
  'one whose journal forgets outcomes': { journals: ({ kind }) => kind !== 'settled' },
  'one that takes an older copy for what Redis had': { believesRedis: true },
  'one that sees no trace of the dead': {
    ledger: (ledger) => ({
      ...ledger,
      async take(chunk, rows) {
        const taken = await ledger.take(chunk, rows);
        const marks = [...taken.marks].filter(([, mark]) => mark.kind === 'settled');
        return { ...taken, possiblySent: false, marks: new Map(marks) };
      },
    }),
  },
};

/** It forgets the check of the mark on settling: that takes a long and narrow path to show. */
export const SETTLES_ANYTHING: Bend = { ledger: settlingAnything };

function settlingAnything(ledger: ChunkLedger, world: World): ChunkLedger {
  return {
    ...ledger,
    async exchange({ ended = [], ...next }) {
      const marks = await Promise.all(ended.map(({ row }) => markOn(world, row)));
      return ledger.exchange({
        ...next,
        ended: ended.map((row, i) => ({ ...row, mark: marks[i] === '' ? row.mark : (marks[i] ?? '') })),
      });
    },
  };
}

function overwriting(ledger: ChunkLedger, { redis, keys, run }: World): ChunkLedger {
  return {
    ...ledger,
    async exchange({ ended = [], ...next }) {
      const fields = ended.flatMap(({ row }) => [`${row}`, `d${row}`]);
      await setChunk(redis, keys.run(run.id), Object.fromEntries(fields.map((field) => [field, null])));
      return ledger.exchange({ ...next, ended });
    },
  };
}

/** The intent on the row; `''`: there is none. */
async function markOn({ keyspace }: World, row: number): Promise<string> {
  const { marks } = await keyspace.dump();
  const mark = marks.get(row);
  return mark?.kind === 'intent' ? mark.text : '';
}
