/**
 * An open chunk as the worker sees it that takes it, and how its rows' settlements become one
 * block. A chunk closes only as it was read: the script compares how often an outcome was recorded,
 * so that none which came meanwhile is lost.
 */

import { z } from 'zod';
import type { Seal } from '../lib/seal.ts';
import { passStage } from '../lib/stage.ts';
import { chunksOf, type Run, type RunState, runStateSchema } from '../model/run.ts';
import type { Settlement } from '../model/settlement.ts';
import { stubOf } from './audit.ts';
import { inEpoch, type LedgerEpoch } from './epoch.ts';
import type { LedgerKeys } from './keys.ts';
import { CLOSE, TAKE } from './lua/runs.ts';
import {
  intentMark,
  type Mark,
  packBlock,
  parseMark,
  parseSettlements,
  processOfMark,
  UNSENT_MARK,
} from './mark.ts';

export type Taken = {
  readonly state: RunState | null;
  readonly closed: boolean;
  /** Redis lost something, and a worker that may have had the chunk is gone with its journal. */
  readonly suspect: boolean;
  readonly marks: ReadonlyMap<number, Mark>;
  /** Another worker, which lives, has rows of it under way: it gives them their ends. */
  readonly isElsewhere: boolean;
  /** Up to which row the order has gone, by whom, as stored; `''`: nobody has begun. */
  readonly at: string;
  /** How often an outcome was recorded or changed. */
  readonly outcomes: number;
};

type ChunkEdges = {
  readonly epoch: LedgerEpoch;
  readonly keys: LedgerKeys;
  readonly run: Run;
  readonly seal: Seal;
  readonly now: () => Date;
};

const take = inEpoch(TAKE, z.tuple([z.string(), z.number(), z.number()]).rest(z.string()));
const close = inEpoch(CLOSE, z.number());

export async function takeChunk(
  chunk: number,
  rows: readonly number[],
  { epoch, keys, run, seal }: ChunkEdges,
): Promise<Taken> {
  const k = keys.run(run.id);
  const answer = await epoch.read(take, [k.record, `${k.chunk}${chunk}`, k.blocks], [chunk]);
  const [state, closed, suspect, ...texts] = answer;
  const fields: Field[] = [];
  for (let i = 0; i + 1 < texts.length; i += 2) fields.push([texts[i] ?? '', texts[i + 1] ?? '']);
  const known = runStateSchema.safeParse(state).data ?? null;
  const read = readFields(fields, seal, rows);
  const isElsewhere = [...read.marks.values()].some(
    (mark) => mark.kind === 'intent' && epoch.isElsewhere(processOfMark(mark.text)),
  );
  return { state: known, closed: closed === 1, suspect: suspect === 1, isElsewhere, ...read };
}

/** `rows`: how many. False where one has no outcome, or something changed: take it again. */
export async function closeChunk(
  chunk: number,
  rows: number,
  { now, ...edges }: ChunkEdges,
): Promise<boolean> {
  const { epoch, keys, run, seal } = edges;
  const recovery = epoch.recoveries();
  const { closed, marks, outcomes } = await takeChunk(chunk, [], { now, ...edges });
  if (closed) return true;
  const settlements = settlementsOf(marks);
  if (settlements.length !== rows) return false;
  const k = keys.run(run.id);
  const [at, block] = [now().toISOString(), packBlock(settlements, now().getTime(), seal)];
  passStage('closing', () => [], chunk);
  const answer = await epoch.call(close, [k.record, k.chunk, k.blocks, keys.audit], () => {
    // What was read counts only while the ledger was not put back since.
    const seen = recovery === epoch.recoveries() ? outcomes : VOID;
    return [chunk, seen, block, chunksOf(run), at, stubOf(keys, run.id, at)];
  });
  if (answer === 1) passStage('closed', () => [], chunk);
  return answer === 1;
}

/** No chunk has this number of outcomes. */
const VOID = -1;

const AT = /^(\S+) (\d+) /;

type Field = readonly [name: string, text: string];

/** Reads an open chunk's hash (lua/open-chunk.ts); without `rows` settlements alone. */
export function readFields(
  fields: readonly Field[],
  seal: Seal,
  rows: readonly number[] = [],
): Pick<Taken, 'marks' | 'at' | 'outcomes'> {
  const named = new Map(fields);
  const marks = new Map<number, Mark>();
  for (const [name, text] of fields) if (name.startsWith('d')) addSettlements(marks, text, seal);
  const apart = addOwnMarks(marks, fields, seal);
  const at = named.get('at') ?? '';
  const [, taker = '', last = '0'] = AT.exec(at) ?? [];
  for (const row of rows) {
    const isInOrder = row <= Number(last) && !apart.has(row) && !marks.has(row);
    if (isInOrder) marks.set(row, { kind: 'intent', text: intentMark(taker, row, 1) });
  }
  return { marks, at, outcomes: Number(named.get('n') ?? 0) };
}

/** Own marks go before what was recorded in order. Answers the rows that have one. */
function addOwnMarks(marks: Map<number, Mark>, fields: readonly Field[], seal: Seal): ReadonlySet<number> {
  const apart = new Set<number>();
  for (const [name, text] of fields) {
    const row = Number(name);
    if (Number.isNaN(row)) continue;
    apart.add(row);
    if (text !== UNSENT_MARK) marks.set(row, parseMark(text, seal));
  }
  return apart;
}

function addSettlements(marks: Map<number, Mark>, text: string, seal: Seal): void {
  for (const settlement of parseSettlements(text, seal)) {
    marks.set(settlement.row, { kind: 'settled', settlement });
  }
}

/** In row order; rows that are not settled are left out. */
export function settlementsOf(marks: ReadonlyMap<number, Mark>): Settlement[] {
  const settled: Settlement[] = [];
  for (const mark of marks.values()) if (mark.kind === 'settled') settled.push(mark.settlement);
  return settled.sort((a, b) => a.row - b.row);
}
