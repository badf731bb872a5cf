import { z } from 'zod';
import { keyClaimSchema } from '../model/claim.ts';
import { rowSchema } from '../model/row.ts';

/** The payload of one BullMQ job: up to `chunkRows` consecutive rows of a run, each with what its key's claim said. */
export const chunkJobSchema = z.object({
  run: z.string(),
  /** 1 = the file's first chunk. */
  chunk: z.number().int().positive(),
  /** The run's share among others, as of its `priority`; 1 where it is not said. */
  weight: z.number().positive().optional(),
  rows: z.array(z.custom<JobRow>(isJobRow, 'expected a row with its claim')).min(1),
});
export type ChunkJob = z.infer<typeof chunkJobSchema>;

const jobRowSchema = z.object({ row: rowSchema, claim: keyClaimSchema });
type JobRow = z.infer<typeof jobRowSchema>;

/** Most rows are plain: to look at each of their cells in the schema's general way takes ten times as long. */
function isJobRow(value: unknown): value is JobRow {
  return isPlain(value) || jobRowSchema.safeParse(value).success;
}

function isPlain(value: unknown): boolean {
  if (!isObject(value) || !isObject(value.row) || !isObject(value.claim)) return false;
  const { kind, row, line, cells, numeric, typed } = value.row;
  if (kind !== 'cells' || value.claim.kind !== 'claimed' || numeric !== undefined || typed !== undefined)
    return false;
  return isPlace(row) && isPlace(line) && Array.isArray(cells) && cells.every(isText);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isPlace(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

/** A fixed id, so that adding a chunk again is harmless; BullMQ refuses a single colon and all digits. */
export function chunkJobId(run: string, chunk: number): string {
  return `${run}-c${chunk}`;
}

/** The run that a chunk's job is of. */
export function runOfJobId(id: string): string {
  return id.slice(0, id.lastIndexOf('-c'));
}
