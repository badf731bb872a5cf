/**
 * An open chunk: how the worker that takes it sees it, what this process remembers of it, and how
 * its rows' marks become one block. A chunk closes only as it was read or remembered: CLOSE
 * compares the number of recorded outcomes, so none that came meanwhile is lost.
 */

import { z } from 'zod';
import { passStage } from '../lib/stage.ts';
import { chunksOf, type Run, type RunState, runStateSchema } from '../model/run.ts';
import type { Settlement } from '../model/settlement.ts';
import { inEpoch, type LedgerEpoch } from './epoch.ts';
import type { LedgerKeys } from './keys.ts';
import { CLOSE, TAKE } from './lua/runs.ts';
import {
  intentMark,
  type Mark,
  packBlock,
  packBlockText,
  parseMark,
  parseSettlements,
  UNSENT_MARK,
} from './mark.ts';
import type { RecordedRow } from './settle-entry.ts';

export type Taken = {
  readonly state: RunState | null;
  readonly closed: boolean;
  /** Redis lost something, and a worker that may have had the chunk is gone with its journal. */
  readonly suspect: boolean;
  readonly marks: ReadonlyMap<number, Mark>;
  /** Up to which row the order has gone, by whom, as stored; `''`: nobody has begun. */
  readonly at: string;
};

/** `outcomes`: how many were recorded or changed, as the scripts compare it. */
type ReadChunk = { readonly taken: Taken; readonly outcomes: string };

const take = inEpoch(TAKE, z.tuple([z.string(), z.number(), z.number()]).rest(z.string()));

export async function readChunk(
  chunk: number,
  rows: readonly number[],
  { epoch, keys, run }: { readonly epoch: LedgerEpoch; readonly keys: LedgerKeys; readonly run: string },
): Promise<ReadChunk> {
  const k = keys.run(run);
  const answer = await epoch.read(take, [k.record, `${k.chunk}${chunk}`, k.blocks], [chunk]);
  const [state, closed, suspect, ...fields] = answer;
  const pairs: [string, string][] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) pairs.push([fields[i] ?? '', fields[i + 1] ?? '']);
  const { marks, at, outcomes } = readFields(pairs, rows);
  const known = runStateSchema.safeParse(state).data ?? null;
  return { taken: { state: known, closed: closed === 1, suspect: suspect === 1, marks, at }, outcomes };
}

const AT = /^(\S+) (\d+) /;

type Field = readonly [name: string, text: string];
type Marks = {
  readonly marks: ReadonlyMap<number, Mark>;
  readonly at: string;
  readonly outcomes: string;
};

/** Reads an open chunk's hash (lua/open-chunk.ts); without `rows` settlements alone. */
export function readFields(fields: readonly Field[], rows: readonly number[] = []): Marks {
  const named = new Map(fields);
  const marks = new Map<number, Mark>();
  for (const [name, text] of fields) if (name.startsWith('d')) addSettlements(marks, text);
  const apart = addOwnMarks(marks, fields);
  const at = named.get('at') ?? '';
  const [, taker = '', last = '0'] = AT.exec(at) ?? [];
  for (const row of rows) {
    const isInOrder = row <= Number(last) && !apart.has(row) && !marks.has(row);
    if (isInOrder) marks.set(row, { kind: 'intent', text: intentMark(taker, row, 1) });
  }
  return { marks, at, outcomes: named.get('n') ?? '0' };
}

/** Own marks go before what was recorded in order. Answers the rows that have one. */
function addOwnMarks(marks: Map<number, Mark>, fields: readonly Field[]): ReadonlySet<number> {
  const apart = new Set<number>();
  for (const [name, text] of fields) {
    const row = Number(name);
    if (Number.isNaN(row)) continue;
    apart.add(row);
    if (text !== UNSENT_MARK) marks.set(row, parseMark(text));
  }
  return apart;
}

function addSettlements(marks: Map<number, Mark>, text: string): void {
  for (const settlement of parseSettlements(text)) marks.set(settlement.row, { kind: 'settled', settlement });
}

/** In row order; rows that are not settled are left out. */
export function settlementsOf(marks: ReadonlyMap<number, Mark>): Settlement[] {
  const settled: Settlement[] = [];
  for (const mark of marks.values()) if (mark.kind === 'settled') settled.push(mark.settlement);
  return settled.sort((a, b) => a.row - b.row);
}

/** A chunk to be closed, as its rows were last read or recorded. */
export type Closing = { readonly chunk: number; readonly outcomes: string; readonly block: Buffer };

/**
 * What this process recorded in the chunks that it has in hand: a chunk whose rows it settled all
 * is closed without reading it again. `recovery`: epoch recoveries at that time; what is remembered
 * from before the last one is void.
 */
type ChunkMemory = {
  /** Forgets what was known of the chunk. */
  taken(chunk: number, rows: number): void;
  recorded(row: RecordedRow, recovery: number): void;
  wholeWith(rows: readonly RecordedRow[], recovery: number): Closing[];
  closed(chunk: number, recovery: number): void;
  isClosed(chunk: number, recovery: number): boolean;
  forget(chunk: number): void;
  /** `null` where others recorded some rows, or the ledger was put back since. */
  whole(chunk: number, rows: number, recovery: number): Closing | null;
};

type Remembered = {
  readonly rows: number;
  readonly recovery: number;
  readonly texts: Map<number, string>;
  isClosed: boolean;
};

/** Bounds the memory: chunks that went back to the queue leave their rows here. */
const CHUNKS_KEPT = 256;

export function createChunkMemory(now: () => Date): ChunkMemory {
  const chunks = new Map<number, Remembered>();
  const remember = (chunk: number, rows: number, recovery: number): Remembered => {
    const fresh = { rows, recovery, texts: new Map<number, string>(), isClosed: false };
    chunks.set(chunk, fresh);
    if (chunks.size > CHUNKS_KEPT) chunks.delete(chunks.keys().next().value ?? chunk);
    return fresh;
  };
  const knownOf = (chunk: number, recovery: number) => {
    const known = chunks.get(chunk);
    return known === undefined || known.recovery === recovery || known.texts.size === 0 ? known : undefined;
  };
  return {
    taken: (chunk, rows) => void remember(chunk, rows, NEVER),
    recorded({ chunk, row, text }, recovery) {
      const known = chunks.get(chunk);
      const is = known?.recovery === recovery ? known : remember(chunk, known?.rows ?? 0, recovery);
      is.texts.set(row, text);
    },
    wholeWith(rows, recovery) {
      const counts = new Map<number, number>();
      for (const { chunk } of rows) counts.set(chunk, (counts.get(chunk) ?? 0) + 1);
      return [...counts].flatMap(([chunk, count]) => {
        const known = knownOf(chunk, recovery);
        if (known === undefined || known.texts.size + count !== known.rows) return [];
        const texts = new Map(known.texts);
        for (const one of rows) if (one.chunk === chunk) texts.set(one.row, one.text);
        return texts.size === known.rows ? closingOf(chunk, texts, now()) : [];
      });
    },
    closed(chunk, recovery) {
      const known = chunks.get(chunk);
      if (known?.recovery === recovery) known.isClosed = true;
    },
    isClosed: (chunk, recovery) => knownOf(chunk, recovery)?.isClosed ?? false,
    forget: (chunk) => void chunks.delete(chunk),
    whole(chunk, rows, recovery) {
      const known = chunks.get(chunk);
      return known?.recovery === recovery && known.texts.size === rows
        ? closingOf(chunk, known.texts, now())
        : null;
    },
  };
}

const NEVER = -1;

function closingOf(chunk: number, texts: ReadonlyMap<number, string>, now: Date): Closing {
  const rows = [...texts.keys()].sort((a, b) => a - b);
  const block = packBlockText(`[${rows.map((row) => texts.get(row)).join(',')}]`, now.getTime());
  return { chunk, outcomes: String(rows.length), block };
}

const close = inEpoch(CLOSE, z.number());

/** No chunk has this number of outcomes. */
export const VOID = 'void';

export function createChunkClosing(edges: {
  readonly epoch: LedgerEpoch;
  readonly keys: LedgerKeys;
  readonly run: Run;
  readonly memory: ChunkMemory;
  readonly now: () => Date;
}): (chunk: number, rows: number) => Promise<boolean> {
  const { epoch, keys, run, memory, now } = edges;
  const k = keys.run(run.id);
  /** `recovery`: epoch recoveries when the outcomes were read or recorded. */
  const closeAs = async ({ chunk, outcomes, block }: Closing, recovery: number) => {
    const keysOfClose = [k.record, `${k.chunk}${chunk}`, k.blocks];
    const answer = await epoch.call(close, keysOfClose, () => {
      const expected = epoch.recoveries() === recovery ? outcomes : VOID;
      return [chunk, expected, block, chunksOf(run), now().toISOString()];
    });
    return answer === 1;
  };
  /** Without reading it, where this process settled all of its rows. */
  const closeWhole = async (chunk: number, rows: number) => {
    const recovery = epoch.recoveries();
    const isClosed = memory.isClosed(chunk, recovery);
    const whole = isClosed ? null : memory.whole(chunk, rows, recovery);
    memory.forget(chunk);
    return isClosed || (whole !== null && (await closeAs(whole, recovery)));
  };
  const closeAsRead = async (chunk: number, rows: number) => {
    for (;;) {
      const recovery = epoch.recoveries();
      const { taken, outcomes } = await readChunk(chunk, [], { epoch, keys, run: run.id });
      if (taken.closed) return true;
      const settled = settlementsOf(taken.marks);
      if (settled.length !== rows) return false;
      const block = packBlock(settled, now().getTime());
      if (await closeAs({ chunk, outcomes, block }, recovery)) return true;
    }
  };
  return async (chunk, rows) => {
    passStage('closing', () => [], chunk);
    const isClosed = (await closeWhole(chunk, rows)) || (await closeAsRead(chunk, rows));
    if (isClosed) passStage('closed', () => [], chunk);
    return isClosed;
  };
}
