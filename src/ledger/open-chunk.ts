/**
 * An open chunk: how the worker that takes it sees it, what this process knows of it while it has
 * it in hand, and how its rows' marks become one block. A chunk closes only as it is known here:
 * EXCHANGE compares the number of recorded outcomes, so none that came meanwhile is lost.
 */

import { z } from 'zod';
import { type RunState, runStateSchema } from '../model/run.ts';
import type { Settlement } from '../model/settlement.ts';
import { inEpoch, type LedgerEpoch } from './epoch.ts';
import type { LedgerKeys } from './keys.ts';
import { TAKE } from './lua/runs.ts';
import {
  intentMark,
  type Mark,
  packBlock,
  parseMark,
  parseSettlements,
  settledMark,
  UNSENT_MARK,
} from './mark.ts';
import type { RowText } from './settle-entry.ts';

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
type ReadChunk = { readonly taken: Taken; readonly outcomes: number };

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
  readonly outcomes: number;
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
  return { marks, at, outcomes: Number(named.get('n') ?? 0) };
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

/** A chunk to be closed, as this process knows it. */
export type Closing = {
  readonly chunk: number;
  /** How often an outcome was recorded or changed. */
  readonly outcomes: number;
  readonly block: Buffer;
  /** Epoch recoveries when the chunk was taken. */
  readonly recovery: number;
};

type InHand = {
  readonly rows: number;
  readonly recovery: number;
  /** Settlements by row: those that were found, and those that were recorded since. */
  readonly texts: Map<number, string>;
  /** As often as outcomes were recorded or changed, as far as this process knows. */
  outcomes: number;
  isClosed: boolean;
};

export type ChunksInHand = {
  take(chunk: number, read: ReadChunk, of: Pick<InHand, 'rows' | 'recovery'>): void;
  recorded(row: RowText): void;
  /** The chunks that are whole once these rows are recorded. */
  wholeWith(rows: readonly RowText[]): Closing[];
  /** The chunk, if all its rows are settled and it isn't closed. */
  whole(chunk: number): Closing[];
  closed(chunk: number): void;
  isClosed(chunk: number): boolean;
  release(chunk: number): void;
};

/**
 * What this process knows of the rows of the chunks that it has in hand, so that a chunk closes
 * with the last of its outcomes. Where others recorded some, or the ledger was put back since, it
 * stays open: who takes it again reads it.
 */
export function createChunksInHand(now: () => Date): ChunksInHand {
  const chunks = new Map<number, InHand>();
  const closingOf = (chunk: number, { rows, texts, outcomes, recovery }: InHand): Closing[] => {
    if (texts.size !== rows) return [];
    const inOrder = [...texts.keys()].sort((a, b) => a - b).map((row) => texts.get(row));
    const block = packBlock(`[${inOrder.join(',')}]`, now().getTime());
    return [{ chunk, outcomes, block, recovery }];
  };
  return {
    take(chunk, { taken, outcomes }, of) {
      const texts = new Map(
        settlementsOf(taken.marks).map((settlement) => [settlement.row, settledMark(settlement)]),
      );
      chunks.set(chunk, { ...of, texts, outcomes, isClosed: taken.closed });
    },
    recorded({ chunk, row, text }) {
      const known = chunks.get(chunk);
      if (known === undefined) return;
      known.texts.set(row, text);
      known.outcomes += 1;
    },
    wholeWith(rows) {
      const found: Closing[] = [];
      for (const [chunk, known] of chunks) {
        if (known.isClosed || known.texts.size + rows.length < known.rows) continue;
        const own = rows.filter((row) => row.chunk === chunk);
        if (own.length === 0 || known.texts.size + own.length !== known.rows) continue;
        const texts = new Map(known.texts);
        for (const { row, text } of own) texts.set(row, text);
        found.push(...closingOf(chunk, { ...known, texts, outcomes: known.outcomes + own.length }));
      }
      return found;
    },
    whole(chunk) {
      const known = chunks.get(chunk);
      return known === undefined || known.isClosed ? [] : closingOf(chunk, known);
    },
    closed(chunk) {
      const known = chunks.get(chunk);
      if (known !== undefined) known.isClosed = true;
    },
    isClosed: (chunk) => chunks.get(chunk)?.isClosed === true,
    release: (chunk) => void chunks.delete(chunk),
  };
}
