import type { Redis } from 'ioredis';
import { z } from 'zod';
import { tickBatch } from '../lib/tick-batch.ts';
import { wasAccepted } from '../model/outcome.ts';
import { chunksOf, type Run, type RunState, runStateSchema } from '../model/run.ts';
import type { Settlement } from '../model/settlement.ts';
import { packBlock } from './block.ts';
import type { LedgerKeys } from './keys.ts';
import { identityOf } from './keys.ts';
import { CLOSE } from './lua/close.ts';
import { INTEND } from './lua/intend.ts';
import { RESERVE } from './lua/reserve.ts';
import { SETTLE } from './lua/settle.ts';
import { TAKE } from './lua/take.ts';
import { UNSETTLE } from './lua/unsettle.ts';
import { WITHDRAW } from './lua/withdraw.ts';
import { type Mark, parseMark, settledMark } from './mark.ts';
import { script } from './script.ts';

/** What a chunk looks like to the worker that takes it. */
export type Taken = {
  readonly state: RunState | null;
  readonly closed: boolean;
  readonly marks: ReadonlyMap<number, Mark>;
};

/** One row's way into the ledger before it is sent. */
export type Intent = {
  readonly chunk: number;
  readonly row: number;
  readonly mark: string;
  /** The mark of a dead worker that is taken over; `''`: the row must have none. */
  readonly expected: string;
};
export type Granted = 'granted' | 'taken' | 'halted';

/** What becomes of the row's key. */
export type IdentityChange = {
  readonly space: string;
  readonly key: string;
  readonly becomes: 'known' | 'in-doubt' | 'given-back';
  readonly id: string;
};

/** A row's outcome with all that is kept of it. */
export type SettledRow = {
  readonly chunk: number;
  readonly settlement: Settlement;
  readonly identity: IdentityChange | null;
  /** The row as it was read, where it did not succeed. */
  readonly source: string;
  /** The service's body as received, where it refused. */
  readonly body: string;
  /** JSON text of the document records, for `payment.documents`. */
  readonly documents: string;
  /** The intent that the settler left or found on the row, `''` for none. */
  readonly mark: string;
};

/** One run's rows in Redis; what is asked for in one turn of the event loop travels in one command. */
export type ChunkLedger = {
  take(chunk: number): Promise<Taken>;
  intend(intent: Intent): Promise<Granted>;
  withdraw(intent: Pick<Intent, 'chunk' | 'row' | 'mark'>): Promise<boolean>;
  /** True where it was recorded, false where the row already had its outcome or is in another taker's hands. */
  settle(row: SettledRow): Promise<boolean>;
  /** Makes refused rows unsent again while their chunk is open; for a refusal that was not the rows' fault. */
  unsettle(rows: readonly SettledRow[]): Promise<void>;
  /** Closes a chunk of which every row is settled; false where one is not. */
  close(chunk: number, rows: number): Promise<boolean>;
  /** Milliseconds until one more request of the run may go; a place is reserved for it. */
  reserve(intervalMicroseconds: number): Promise<number>;
};

const MAX_BATCH = 200;

const take = script(TAKE, z.tuple([z.string(), z.number()]).rest(z.string()));
const intend = script(INTEND, z.array(z.enum(['granted', 'taken', 'halted'])));
const withdraw = script(WITHDRAW, z.array(z.number()));
const settle = script(SETTLE, z.array(z.number()));
const unsettle = script(UNSETTLE, z.array(z.number()));
const close = script(CLOSE, z.number());
const reserve = script(RESERVE, z.coerce.number());

export function createChunkLedger(redis: Redis, keys: LedgerKeys, run: Run, now: () => Date): ChunkLedger {
  const k = keys.run(run.id);
  const base = [k.record, k.chunk, k.blocks];
  const read = async (chunk: number) =>
    readTaken(await take(redis, [k.record, `${k.chunk}${chunk}`, k.blocks], [chunk]));

  return {
    take: async (chunk) => (await read(chunk)).taken,
    intend: tickBatch(
      (intents: readonly Intent[]) =>
        intend(
          redis,
          base,
          intents.flatMap((i) => [i.chunk, i.row, i.mark, i.expected]),
        ),
      MAX_BATCH,
    ),
    withdraw: tickBatch(async (intents: ReadonlyArray<Pick<Intent, 'chunk' | 'row' | 'mark'>>) => {
      const gone = await withdraw(
        redis,
        [k.chunk],
        intents.flatMap((i) => [i.chunk, i.row, i.mark]),
      );
      return gone.map((g) => g === 1);
    }, MAX_BATCH),
    settle: tickBatch(async (rows: readonly SettledRow[]) => {
      const entries = JSON.stringify(rows.map((row) => entryOf(keys, row)));
      const recorded = await settle(
        redis,
        [...base, k.late, k.doubts, k.sources, k.bodies, k.documents],
        [run.id, entries],
      );
      return recorded.map((r) => r === 1);
    }, MAX_BATCH),
    async unsettle(rows) {
      const entries = rows.flatMap((row) => {
        const [chunk, number, outcome, settlement, bucket, digest] = entryOf(keys, row);
        return [chunk, number, settlement, outcome, bucket, digest];
      });
      await unsettle(redis, [k.record, k.chunk, k.sources, k.bodies], [run.id, ...entries]);
    },
    async close(chunk, rows) {
      for (;;) {
        const { taken, version } = await read(chunk);
        if (taken.closed) return true;
        const settled = settlementsOf(taken.marks);
        if (settled.length !== rows) return false;
        const args = [chunk, rows, version, packBlock(settled), chunksOf(run), now().toISOString()];
        if ((await close(redis, [k.record, `${k.chunk}${chunk}`, k.blocks], args)) === 1) return true;
      }
    },
    reserve: tickBatch(async (intervals: readonly number[]) => {
      const interval = intervals[0] ?? 0;
      const first = await reserve(redis, [k.rate], [intervals.length, interval]);
      return intervals.map((_, i) => (first + i * interval) / 1000);
    }, MAX_BATCH),
  };
}

function readTaken([state, closed, ...fields]: [string, number, ...string[]]): {
  taken: Taken;
  version: string;
} {
  const marks = new Map<number, Mark>();
  let version = '0';
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const [field = '', text = ''] = [fields[i], fields[i + 1]];
    if (field === 'v') version = text;
    else marks.set(Number(field), parseMark(text));
  }
  return {
    taken: { state: runStateSchema.safeParse(state).data ?? null, closed: closed === 1, marks },
    version,
  };
}

/** In row order; rows that are not settled are left out. */
export function settlementsOf(marks: ReadonlyMap<number, Mark>): Settlement[] {
  const settled: Settlement[] = [];
  for (const mark of marks.values()) if (mark.kind === 'settled') settled.push(mark.settlement);
  return settled.sort((a, b) => a.row - b.row);
}

const IDENTITY_LETTER = { known: 'k', 'in-doubt': 'd', 'given-back': 'x' } as const;

type Entry = readonly [
  chunk: number,
  row: number,
  outcome: string,
  settlement: string,
  bucket: string,
  digest: string,
  identity: string,
  id: string,
  source: string,
  body: string,
  documents: string,
  mark: string,
  accepted: 0 | 1,
];

function entryOf(keys: LedgerKeys, row: SettledRow): Entry {
  const { settlement, identity } = row;
  const place = identity === null ? null : identityOf(identity.key);
  return [
    row.chunk,
    settlement.row,
    settlement.outcome,
    settledMark(settlement),
    identity === null || place === null ? '' : `${keys.identity(identity.space)}${place.bucket}`,
    place?.digest ?? '',
    identity === null ? '' : IDENTITY_LETTER[identity.becomes],
    // Redis' JSON refuses half a surrogate pair, and with it the whole batch.
    (identity?.id ?? '').toWellFormed(),
    row.source,
    row.body,
    row.documents,
    row.mark,
    wasAccepted(settlement.outcome) ? 1 : 0,
  ];
}
