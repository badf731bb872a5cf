import { z } from 'zod';
import { passStage } from '../lib/stage.ts';
import { tickBatch } from '../lib/tick-batch.ts';
import type { KeyState } from '../model/key-state.ts';
import { chunksOf, type Run, type RunState, runStateSchema } from '../model/run.ts';
import type { Settlement } from '../model/settlement.ts';
import { packBlock, packBlockText } from './block.ts';
import { createChunkMemory } from './chunk-memory.ts';
import { gated, type LedgerGate } from './gate.ts';
import { type Granted, intendRows, type MarkedRow, withdrawRows } from './intend-rows.ts';
import type { Intent } from './intent.ts';
import type { LedgerKeys } from './keys.ts';
import { CLOSE } from './lua/close.ts';
import { LOOK_UP } from './lua/look-up.ts';
import { SETTLE } from './lua/settle.ts';
import { TAKE } from './lua/take.ts';
import { UNSETTLE } from './lua/unsettle.ts';
import { type Mark, parseMark } from './mark.ts';
import { parseKeyState } from './read-keys.ts';
import { type Reserved, reserveTimes } from './reserve-times.ts';
import type { RowJournal } from './row-journal.ts';
import { settleArguments } from './settle-arguments.ts';
import { fieldsPlace, identityPlace, type KeyPlace, type SettledRow, settleEntry } from './settle-entry.ts';

/** What a chunk looks like to the worker that takes it. */
export type Taken = {
  readonly state: RunState | null;
  readonly closed: boolean;
  /** Redis has lost something, and the journal of a worker that may have had the chunk can't be had. */
  readonly suspect: boolean;
  readonly marks: ReadonlyMap<number, Mark>;
};

/** One run's rows in Redis; what is asked for in one turn of the event loop travels in one command. */
export type ChunkLedger = {
  take(chunk: number): Promise<Taken>;
  /** What an identity ledger says of a key. */
  readKey(key: KeyPlace): Promise<KeyState>;
  /** The digests of the fields that the service last accepted of the record with that key; `''` or from `~` on: they aren't known. */
  readFields(key: KeyPlace): Promise<string>;
  /** Granted only when the intent is in Redis and on this machine's disk. */
  intend(intent: Intent): Promise<Granted>;
  /** The same for many at once, in one command; one answer for each, in their order. */
  intendAll(intents: readonly Intent[]): Promise<readonly Granted[]>;
  withdraw(intent: MarkedRow): Promise<boolean>;
  withdrawAll(intents: readonly MarkedRow[]): Promise<readonly boolean[]>;
  /** True where it was recorded, false where the row already had its outcome or is in another taker's hands. */
  settle(row: SettledRow): Promise<boolean>;
  /** The same for many, in one command. */
  settleAll(rows: readonly SettledRow[]): Promise<readonly boolean[]>;
  /** Makes refused rows unsent again while their chunk is open, and pauses the run for that reason in the same step. */
  unsettle(rows: readonly SettledRow[], reason: string): Promise<void>;
  /** Closes a chunk of which every row is settled; false where one is not. */
  close(chunk: number, rows: number): Promise<boolean>;
  /** When the run's next requests may go, over all workers: as many as `times`, or fewer, `intervalMs` apart. */
  reserve(times: number, intervalMs: number): Promise<Reserved>;
};

export type ChunkLedgerOptions = {
  readonly gate: LedgerGate;
  readonly keys: LedgerKeys;
  readonly journal: RowJournal;
  readonly run: Run;
  /** The longest that a row sent as a probe may take, ms. */
  readonly probeMs: number;
  readonly now: () => Date;
};

/** A chunk as its rows were last read or recorded, to be closed as that. */
type Closing = {
  readonly rows: number;
  readonly version: string;
  readonly block: Buffer;
  readonly recovery: number;
};

/** No chunk's version. */
const VOID = 'void';

const MAX_BATCH = 200;

const lookUp = gated(LOOK_UP, z.array(z.string()));
const take = gated(TAKE, z.tuple([z.string(), z.number(), z.number()]).rest(z.string()));
const settle = gated(SETTLE, z.array(z.number()));
const unsettle = gated(UNSETTLE, z.array(z.number()));
const close = gated(CLOSE, z.number());

export function createChunkLedger(options: ChunkLedgerOptions): ChunkLedger {
  const { gate, keys, journal, run } = options;
  const k = keys.run(run.id);
  const read = async (chunk: number) =>
    readTaken(await gate.call(take, [k.record, `${k.chunk}${chunk}`, k.blocks], [chunk]));
  const edges = { gate, keys, journal, run: run.id, probeMs: options.probeMs };
  const memory = createChunkMemory();
  /** `recovery`: of when that version was true. */
  const closeAs = async (chunk: number, { rows, version, block, recovery }: Closing) => {
    const keysOfClose = [k.record, `${k.chunk}${chunk}`, k.blocks];
    const answer = await gate.call(close, keysOfClose, () => {
      const standing = gate.recoveries() === recovery ? version : VOID;
      return [chunk, rows, standing, block, chunksOf(run), options.now().toISOString()];
    });
    return answer === 1;
  };
  /** Without reading the chunk, where this process has settled all of it. */
  const closeWhole = async (chunk: number, rows: number) => {
    const recovery = gate.recoveries();
    const whole = memory.whole(chunk, rows, recovery);
    memory.forget(chunk);
    if (whole === null) return false;
    return closeAs(chunk, { rows, version: '0', block: packBlockText(whole), recovery });
  };
  const settleAll = async (rows: readonly SettledRow[]) => {
    const rowsOf = () => rows.map(({ settlement }) => settlement.row);
    passStage('settling', rowsOf);
    const entries = rows.map((row) => settleEntry(keys, row));
    journal.note({ kind: 'settled', run: run.id, entries: JSON.stringify(entries) });
    const { args, order } = settleArguments(entries);
    const recovery = gate.recoveries();
    const unrecorded = await gate.call(settle, settleKeys(keys, run.id), [run.id, ...args]);
    passStage('settled', rowsOf);
    const others = new Set(unrecorded.map((place) => order[place - 1]));
    const recorded = entries.map((entry) => !others.has(entry));
    entries.forEach((entry, i) => {
      if (recorded[i]) memory.recorded({ chunk: entry[0], row: entry[1], mark: entry[3] }, recovery);
    });
    return recorded;
  };

  return {
    async take(chunk) {
      memory.forget(chunk);
      return (await read(chunk)).taken;
    },
    readKey: tickBatch(async (places: readonly KeyPlace[]) => {
      const found = places.map((place) => identityPlace(keys, place));
      return (await gate.call(lookUp, [], placeArguments(found))).map(parseKeyState);
    }, MAX_BATCH),
    readFields: tickBatch(async (places: readonly KeyPlace[]) => {
      const found = places.map((place) => fieldsPlace(keys, place));
      return gate.call(lookUp, [], placeArguments(found));
    }, MAX_BATCH),
    intend: tickBatch((intents: readonly Intent[]) => intendRows(intents, edges), MAX_BATCH),
    intendAll: (intents) => intendRows(intents, edges),
    withdraw: tickBatch((rows: readonly MarkedRow[]) => withdrawRows(rows, edges), MAX_BATCH),
    withdrawAll: (rows) => withdrawRows(rows, edges),
    settle: tickBatch(settleAll, MAX_BATCH),
    settleAll,
    async unsettle(rows, reason) {
      for (const { chunk } of rows) memory.forget(chunk);
      const entries = rows.flatMap((row) => {
        const [chunk, number, outcome, settlement, bucket, digest] = settleEntry(keys, row);
        return [chunk, number, settlement, outcome, bucket, digest];
      });
      journal.note({
        kind: 'unsettled',
        run: run.id,
        rows: rows.map((row) => [row.chunk, row.settlement.row]),
      });
      await gate.call(unsettle, [k.record, k.chunk, k.sources, k.bodies], [run.id, reason, ...entries]);
    },
    async close(chunk, rows) {
      passStage('closing', () => [], chunk);
      if (await closeWhole(chunk, rows)) {
        passStage('closed', () => [], chunk);
        return true;
      }
      for (;;) {
        const recovery = gate.recoveries();
        const { taken, version } = await read(chunk);
        const settled = settlementsOf(taken.marks);
        if (!taken.closed && settled.length !== rows) return false;
        const block = packBlock(settled);
        if (!taken.closed && !(await closeAs(chunk, { rows, version, block, recovery }))) continue;
        passStage('closed', () => [], chunk);
        return true;
      }
    },
    reserve: (times, intervalMs) => reserveTimes(gate, k.rate, { times, intervalMs }),
  };
}

function placeArguments(
  places: ReadonlyArray<{ readonly bucket: string; readonly digest: string }>,
): string[] {
  return places.flatMap(({ bucket, digest }) => [bucket, digest]);
}

/** KEYS of the script SETTLE. */
export function settleKeys(keys: LedgerKeys, run: string): string[] {
  const k = keys.run(run);
  return [
    k.record,
    k.chunk,
    k.blocks,
    k.late,
    k.doubts,
    k.sources,
    k.bodies,
    k.documents,
    keys.weather,
    k.resolutions,
  ];
}

function readTaken([state, closed, suspect, ...fields]: [string, number, number, ...string[]]): {
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
  const known = runStateSchema.safeParse(state).data ?? null;
  return { taken: { state: known, closed: closed === 1, suspect: suspect === 1, marks }, version };
}

/** In row order; rows that are not settled are left out. */
export function settlementsOf(marks: ReadonlyMap<number, Mark>): Settlement[] {
  const settled: Settlement[] = [];
  for (const mark of marks.values()) if (mark.kind === 'settled') settled.push(mark.settlement);
  return settled.sort((a, b) => a.row - b.row);
}
