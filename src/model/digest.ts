/**
 * Digests: what a run's rows come to for people who look, as `digest.json` has it and report.html
 * draws it. Bounded whatever the run, and without personal data but keys and the columns that the
 * job definition lets be shown.
 */
import { z } from 'zod';
import { OUTCOMES, outcomeCountsSchema, outcomeSchema, REMAINDER } from './outcome.ts';

const count = z.number().int().nonnegative();
const rowNumber = z.number().int().positive();

/**
 * A row as lists name it; `shown`: its cells of the columns that may be shown, in the definition's
 * order.
 */
const namedRowSchema = z.object({ row: rowNumber, line: count, key: z.string(), shown: z.array(z.string()) });
export type NamedRow = z.infer<typeof namedRowSchema>;

/** Rows that did not succeed for the same reason. */
const rowCauseSchema = z.object({
  /** Of outcome, code and text: the same in every run. */
  id: z.string(),
  outcome: outcomeSchema,
  code: z.string(),
  /**
   * Without values of rows; empty where the service said nothing, and `‹…›` where what it said
   * can't be told.
   */
  text: z.string(),
  /** Fields of the request that it names, and the file's columns that they are made of. */
  fields: z.array(z.string()),
  columns: z.array(z.string()),
  advice: z.string(),
  count: count,
  first: rowNumber,
  last: rowNumber,
  examples: z.array(namedRowSchema),
  /** Rows by part of the file. */
  where: z.array(count),
  /** The chunks that have such rows (chunk-bits.ts). */
  chunks: z.string(),
});
export type RowCause = z.infer<typeof rowCauseSchema>;

/** How long the last attempts took, ms. */
const latencySchema = z.object({
  rows: count,
  p50: count,
  p90: count,
  p99: count,
  max: count,
  /** Rows whose attempt took from `from` up to below `to`. */
  buckets: z.array(z.object({ from: count, to: count, rows: count })),
});
export type Latency = z.infer<typeof latencySchema>;

/**
 * What came to its end between two moments, in seconds since the run's start, and how long the
 * service took (ms).
 */
const momentSchema = z.object({
  from: z.number().nonnegative(),
  to: z.number().positive(),
  rows: z.partialRecord(outcomeSchema, count),
  took: z.object({ p50: count, p90: count, p99: count }).nullable(),
});
export type Moment = z.infer<typeof momentSchema>;

const needingSchema = namedRowSchema.extend({ outcome: outcomeSchema, code: z.string(), why: z.string() });

export const digestSchema = z.object({
  run: z.string(),
  /** Rows of the file, and how many of them had an outcome. */
  rows: count,
  read: count,
  outcomes: outcomeCountsSchema,
  /** Rows with each outcome by part of the file, of which there are at most 100 of equal size. */
  where: z.partialRecord(outcomeSchema, z.array(count)),
  /** The chunks that have rows with each outcome (chunk-bits.ts). */
  chunks: z.partialRecord(outcomeSchema, z.string()),
  /** Commonest first, and how many rows have one that is not among them. */
  causes: z.array(rowCauseSchema),
  others: count,
  /** `null` where nothing was sent. */
  latency: latencySchema.nullable(),
  /** In the order of time; rows of chunks that were open are in none. */
  moments: z.array(momentSchema),
  /** HTTP statuses of the last attempts, commonest first; 0: no answer. */
  statuses: z.array(z.object({ status: count, rows: count })),
  /** The first rows that need somebody, those in doubt before all others. */
  needing: z.array(needingSchema),
});
export type Digest = z.infer<typeof digestSchema>;

/** How many parts the strips of a file with so many rows have. */
export function partsOf(rows: number): number {
  return Math.max(1, Math.min(100, rows));
}

/** Stands for words of the service that too few rows have. */
export const UNTOLD = '‹…›';

/** What is said of a cause: the fields that it names apart from all else. */
export type Said = {
  readonly fields: readonly string[];
  readonly words: string;
  /** The service's words are not told: too few rows have the same. */
  readonly isUntold: boolean;
};

export function saidOf({ text, fields }: Pick<RowCause, 'text' | 'fields'>): Said {
  const words = text
    .split(' | ')
    .filter((part) => !part.startsWith('@') && part !== UNTOLD)
    .join(' · ');
  return { fields, words, isUntold: text === UNTOLD || (fields.length > 0 && words === '') };
}

/** Rows without success of which somebody has to think, as the list of them counts. */
export function needingRows({ outcomes }: Pick<Digest, 'outcomes'>): number {
  return OUTCOMES.reduce((sum, outcome) => sum + (REMAINDER[outcome] === 'none' ? 0 : outcomes[outcome]), 0);
}
