import { z } from 'zod';
import { passStage } from '../lib/stage.ts';
import { chunksOf, type Run } from '../model/run.ts';
import { packBlock, packBlockText } from './block.ts';
import type { ChunkMemory } from './chunk-memory.ts';
import { gated, type LedgerGate } from './gate.ts';
import type { LedgerKeys } from './keys.ts';
import { CLOSE } from './lua/close.ts';
import { readChunk, settlementsOf } from './read-chunk.ts';

const close = gated(CLOSE, z.number());

/** A chunk as its rows were last read or recorded, to be closed as that. */
type Closing = {
  readonly rows: number;
  readonly version: string;
  readonly block: Buffer;
  readonly recovery: number;
};

/** No chunk's version. */
const VOID = 'void';

/** Closes a chunk of which every row is settled; false where one is not. */
export function createChunkClosing(edges: {
  readonly gate: LedgerGate;
  readonly keys: LedgerKeys;
  readonly run: Run;
  readonly memory: ChunkMemory;
  readonly now: () => Date;
}): (chunk: number, rows: number) => Promise<boolean> {
  const { gate, keys, run, memory, now } = edges;
  const k = keys.run(run.id);
  /** `recovery`: of when that version was true. */
  const closeAs = async (chunk: number, { rows, version, block, recovery }: Closing) => {
    const keysOfClose = [k.record, `${k.chunk}${chunk}`, k.blocks];
    const answer = await gate.call(close, keysOfClose, () => {
      const standing = gate.recoveries() === recovery ? version : VOID;
      return [chunk, rows, standing, block, chunksOf(run), now().toISOString()];
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
  const closeAsRead = async (chunk: number, rows: number) => {
    for (;;) {
      const recovery = gate.recoveries();
      const { taken, version } = await readChunk(chunk, { gate, keys, run: run.id });
      if (taken.closed) return true;
      const settled = settlementsOf(taken.marks);
      if (settled.length !== rows) return false;
      if (await closeAs(chunk, { rows, version, block: packBlock(settled), recovery })) return true;
    }
  };
  return async (chunk, rows) => {
    passStage('closing', () => [], chunk);
    const isClosed = (await closeWhole(chunk, rows)) || (await closeAsRead(chunk, rows));
    if (isClosed) passStage('closed', () => [], chunk);
    return isClosed;
  };
}
