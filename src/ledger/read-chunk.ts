import { z } from 'zod';
import { type RunState, runStateSchema } from '../model/run.ts';
import type { Settlement } from '../model/settlement.ts';
import { gated, type LedgerGate } from './gate.ts';
import type { LedgerKeys } from './keys.ts';
import { TAKE } from './lua/take.ts';
import { type Mark, parseMark } from './mark.ts';

/** What a chunk looks like to the worker that takes it. */
export type Taken = {
  readonly state: RunState | null;
  readonly closed: boolean;
  /** Redis has lost something, and the journal of a worker that may have had the chunk can't be had. */
  readonly suspect: boolean;
  readonly marks: ReadonlyMap<number, Mark>;
};

/** `version`: it rises whenever an outcome of the chunk changes that was recorded before. */
export type ReadChunk = { readonly taken: Taken; readonly version: string };

const take = gated(TAKE, z.tuple([z.string(), z.number(), z.number()]).rest(z.string()));

/** A chunk as it stands in the ledger. */
export async function readChunk(
  chunk: number,
  { gate, keys, run }: { readonly gate: LedgerGate; readonly keys: LedgerKeys; readonly run: string },
): Promise<ReadChunk> {
  const k = keys.run(run);
  return readTaken(await gate.call(take, [k.record, `${k.chunk}${chunk}`, k.blocks], [chunk]));
}

function readTaken([state, closed, suspect, ...fields]: [string, number, number, ...string[]]): ReadChunk {
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
