/**
 * What a delivery looks like, without a value of it: how many rows, how full each column is, how
 * its cells are built, how often one repeats, how many keys were known.
 */
import { z } from 'zod';

const share = z.number().min(0).max(1);

const columnProfileSchema = z.object({
  name: z.string(),
  /** Of the rows. */
  filled: share,
  /** Of the filled cells: those that have the value that most have. */
  repeated: share,
  /** Of the filled cells by how they are built; the rest is built otherwise. */
  shapes: z.record(z.string(), share),
});
export type ColumnProfile = z.infer<typeof columnProfileSchema>;

export const profileSchema = z.object({
  rows: z.number().int().nonnegative(),
  /** Of which the rest was counted. */
  sampled: z.number().int().nonnegative(),
  /** Of the keys asked of at its registration; `null`: its rows have none, or it is the first. */
  known: share.nullable(),
  /** By name. */
  columns: z.array(columnProfileSchema),
});
export type Profile = z.infer<typeof profileSchema>;

export const PROFILED_COLUMNS = 40;
