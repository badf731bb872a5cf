/**
 * A chunk as a BullMQ job: its id and its payload. What a later version has written goes back to
 * the queue and waits for a worker of that version.
 */

import { z } from 'zod';
import { keyClaimSchema } from '../model/identity.ts';
import { rowSchema } from '../model/row.ts';

const claimedRowSchema = z.object({ row: rowSchema, claim: keyClaimSchema });
type ClaimedRow = z.infer<typeof claimedRowSchema>;

const natural = z.number().int().positive();

/** Most rows are only cells, and claimed: a list is faster to write and to read. */
const plainRowSchema = z.tuple([natural, natural, z.array(z.string())]).transform(
  ([row, line, cells]): ClaimedRow => ({
    row: { kind: 'cells', row, line, cells },
    claim: { kind: 'claimed' },
  }),
);

/** Up to `chunkRows` consecutive rows of a run, each with its key's claim. */
const chunkJobSchema = z.object({
  run: z.string(),
  /** 1 = the file's first chunk. */
  chunk: natural,
  /** The epoch in which the keys were claimed; without it each claim is checked again. */
  claimed: z.string().optional(),
  rows: z.array(z.union([plainRowSchema, claimedRowSchema])).min(1),
});
export type ChunkJob = z.infer<typeof chunkJobSchema>;
export type ChunkPayload = z.input<typeof chunkJobSchema>;

export function payloadOf(job: ChunkJob): ChunkPayload {
  return { ...job, rows: job.rows.map(plainOf) };
}

function plainOf({ row, claim }: ClaimedRow): ChunkPayload['rows'][number] {
  const isPlain = claim.kind === 'claimed' && row.kind === 'cells' && row.typed === undefined;
  return isPlain ? [row.row, row.line, row.cells] : { row, claim };
}

/** Throws where the payload is no chunk of this version: the job goes back to the queue. */
export function chunkOfPayload(payload: unknown): ChunkJob {
  return chunkJobSchema.parse(payload);
}

/** Fixed: adding a chunk again is harmless. BullMQ refuses a single colon and all digits. */
export function chunkJobId(run: string, chunk: number): string {
  return `${run}-c${chunk}`;
}

export function runOfJobId(id: string): string {
  return id.slice(0, id.lastIndexOf('-c'));
}
