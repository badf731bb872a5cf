import { z } from 'zod';
import { keyClaimSchema } from '../model/claim.ts';
import { rowSchema } from '../model/row.ts';

/** The payload of one BullMQ job: up to `chunkRows` consecutive rows of a run, each with what its key's claim said. */
export const chunkJobSchema = z.object({
  run: z.string(),
  /** 1 = the file's first chunk. */
  chunk: z.number().int().positive(),
  rows: z.array(z.object({ row: rowSchema, claim: keyClaimSchema })).min(1),
});
export type ChunkJob = z.infer<typeof chunkJobSchema>;

/** A fixed id, so that adding a chunk again is harmless; BullMQ refuses a single colon and all digits. */
export function chunkJobId(run: string, chunk: number): string {
  return `${run}-c${chunk}`;
}
