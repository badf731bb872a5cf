import { z } from 'zod';
import { keyClaimSchema } from '../model/identity.ts';
import { rowSchema } from '../model/row.ts';
import { packedRowsSchema, packRows } from './packed-rows.ts';

const place = {
  run: z.string(),
  /** 1 = the file's first chunk. */
  chunk: z.number().int().positive(),
  /** The run's share among others, as of its `priority`; 1 where it is not said. */
  weight: z.number().positive().optional(),
};

/** Up to `chunkRows` consecutive rows of a run, each with what its key's claim said. */
export const chunkJobSchema = z.object({
  ...place,
  rows: z.array(z.object({ row: rowSchema, claim: keyClaimSchema })).min(1),
});
export type ChunkJob = z.infer<typeof chunkJobSchema>;

const packedJobSchema = z.object({ ...place, packed: packedRowsSchema });

/**
 * The payload of a chunk's BullMQ job: the chunk as it is, or with its rows packed. A worker that knows no packed rows misses
 * `rows` in it and leaves the chunk to others.
 */
export type ChunkPayload = ChunkJob | z.input<typeof packedJobSchema>;

/** The payload that `chunkOfPayload` makes the chunk of again. */
export function payloadOf(job: ChunkJob): ChunkPayload {
  const packed = packRows(job.rows);
  if (packed === null) return job;
  const { rows: _, ...own } = job;
  return { ...own, packed };
}

/** Throws where it is no chunk, or written in a way that this version doesn't know: such a job goes back to the queue. */
export function chunkOfPayload(payload: unknown): ChunkJob {
  if (!isObject(payload)) throw new Error('expected a chunk, got none');
  if ('rows' in payload) return chunkJobSchema.parse(payload);
  if (!('packed' in payload)) throw new Error(UNKNOWN_FORM);
  const { packed: rows, ...own } = packedJobSchema.parse(payload);
  return { ...own, rows };
}

const UNKNOWN_FORM =
  'the chunk is written in a form that this version does not know; expected `rows` or `packed`. ' +
  'Workers of the version that added it take it on.';

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** A fixed id, so that adding a chunk again is harmless; BullMQ refuses a single colon and all digits. */
export function chunkJobId(run: string, chunk: number): string {
  return `${run}-c${chunk}`;
}

/** The run that a chunk's job is of. */
export function runOfJobId(id: string): string {
  return id.slice(0, id.lastIndexOf('-c'));
}
