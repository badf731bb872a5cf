/**
 * An open chunk as the worker sees it that takes it, and how its rows' settlements become one
 * block. A chunk closes only as it was read: the script compares how often an outcome was recorded,
 * so that none which came meanwhile is lost.
 */

import { z } from 'zod';
import type { RedisConnection } from '../../lib/redis-connection.ts';
import type { Seal } from '../../lib/seal.ts';
import { passStage } from '../../lib/stage.ts';
import { chunksOf, type Run, type RunState, runStateSchema } from '../../model/run.ts';
import type { Settlement } from '../../model/settlement.ts';
import { stubOf } from './audit.ts';
import { appendingSeldom } from './audit-chain.ts';
import { packChunk } from './block.ts';
import type { LedgerKeys } from './keys.ts';
import CLOSE from './lua/close.lua';
import READ_CHUNK from './lua/read-chunk.lua';
import TAKE from './lua/take.lua';
import { type Mark, parseMark, parseSettlements, UNSENT_MARK } from './mark.ts';
import { script } from './script.ts';
import { type VerifiedLedger, whenVerified } from './verified.ts';

export type Taken = {
  readonly state: RunState | null;
  readonly closed: boolean;
  /** Redis lost something, and a worker that may have had the chunk is dead, its journal lost. */
  readonly possiblySent: boolean;
  readonly marks: ReadonlyMap<number, Mark>;
  /** Another worker, which lives, has rows of it under way: it gives them their ends. */
  readonly isElsewhere: boolean;
  /** Up to which row its rows have gone in order, by whom, as stored; `''`: nobody has begun. */
  readonly watermark: string;
  /** How often an outcome was recorded or changed. */
  readonly outcomes: number;
};

type ChunkEdges = {
  readonly verified: VerifiedLedger;
  readonly keys: LedgerKeys;
  readonly run: Run;
  readonly seal: Seal;
  readonly now: () => Date;
};

/** The watermark; how often an outcome was recorded; settlements together; row, mark, process, … */
const chunkFields = [z.string(), z.string(), z.array(z.string()), z.array(z.string())] as const;
const take = whenVerified(TAKE, z.tuple([z.string(), z.number(), z.number(), ...chunkFields]));
const openChunkSchema = z.tuple([...chunkFields]);
const read = script(READ_CHUNK, openChunkSchema);
const close = whenVerified(CLOSE, z.number());

export async function takeChunk(
  chunk: number,
  rows: readonly number[],
  { verified, keys, run, seal }: ChunkEdges,
): Promise<Taken> {
  const k = keys.run(run.id);
  const names = [k.record, `${k.chunk}${chunk}`, k.blocks];
  const answer = await verified.read(take, names, [chunk, JSON.stringify(rows)]);
  const [state, closed, possiblySent, watermark, outcomes, together, stored] = answer;
  const own = ownMarks(stored);
  return {
    state: runStateSchema.safeParse(state).data ?? null,
    closed: closed === 1,
    possiblySent: possiblySent === 1,
    marks: marksFrom(together, own, seal),
    isElsewhere: own.some(({ process }) => process !== '' && verified.isElsewhere(process)),
    watermark,
    outcomes: Number(outcomes),
  };
}

/** Of an open chunk, right now, without intents by its watermark. */
export async function readMarks(
  redis: RedisConnection,
  chunkKey: string,
  seal: Seal,
): Promise<ReadonlyMap<number, Mark>> {
  return marksIn(await read(redis, [chunkKey], []), seal);
}

/** As parts/chunk-marks answers an open chunk. */
export function marksIn(answer: z.infer<typeof openChunkSchema>, seal: Seal): ReadonlyMap<number, Mark> {
  const [, , together, stored] = answer;
  return marksFrom(together, ownMarks(stored), seal);
}

/** `rows`: how many. False where one has no outcome, or something changed: take it again. */
export async function closeChunk(
  chunk: number,
  rows: number,
  { now, ...edges }: ChunkEdges,
): Promise<boolean> {
  const { verified, keys, run, seal } = edges;
  const recovery = verified.recoveries();
  const { closed, marks, outcomes } = await takeChunk(chunk, [], { now, ...edges });
  if (closed) return true;
  const settlements = settlementsOf(marks);
  if (settlements.length !== rows) return false;
  const k = keys.run(run.id);
  const at = now();
  const { block, open } = packChunk(settlements, at.getTime(), seal);
  passStage('closing', () => [], chunk);
  const answer = await appendingSeldom(verified.redis, [keys.audit], ([link = '']) =>
    verified.call(close, [k.record, k.chunk, k.blocks, k.openRows, keys.audit], () => {
      // What was read counts only while the ledger was not put back since.
      const seen = recovery === verified.recoveries() ? outcomes : VOID;
      const stub = stubOf(keys, run.id, at.toISOString());
      return [link, chunk, seen, block, open ?? NONE, chunksOf(run), at.toISOString(), stub];
    }),
  );
  if (answer === 1) passStage('closed', () => [], chunk);
  return answer === 1;
}

/** No chunk has this number of outcomes. */
const VOID = -1;
/** No open rows. */
const NONE = '';

type OwnMark = { readonly row: number; readonly mark: string; readonly process: string };

/** Row, mark, process, … as the scripts answer them. */
function ownMarks(stored: readonly string[]): readonly OwnMark[] {
  const own: OwnMark[] = [];
  for (let i = 0; i + 2 < stored.length; i += 3) {
    const [row, mark = '', process = ''] = stored.slice(i, i + 3);
    own.push({ row: Number(row), mark, process });
  }
  return own;
}

/** Rows' own marks go before what was recorded together. */
function marksFrom(together: readonly string[], own: readonly OwnMark[], seal: Seal): Map<number, Mark> {
  const marks = new Map<number, Mark>();
  for (const text of together) {
    for (const settlement of parseSettlements(text, seal)) {
      marks.set(settlement.row, { kind: 'settled', settlement });
    }
  }
  for (const { row, mark } of own) {
    if (mark === UNSENT_MARK) marks.delete(row);
    else marks.set(row, parseMark(mark, seal));
  }
  return marks;
}

/** In row order; rows that are not settled are left out. */
export function settlementsOf(marks: ReadonlyMap<number, Mark>): Settlement[] {
  const settled: Settlement[] = [];
  for (const mark of marks.values()) if (mark.kind === 'settled') settled.push(mark.settlement);
  return settled.sort((a, b) => a.row - b.row);
}
