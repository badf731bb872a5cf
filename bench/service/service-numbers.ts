import { z } from 'zod';

/** How long the slow service takes for an answer, on average. */
export const DELAY_MS = 50;

/** What the service counted; times are milliseconds of `Date.now()` with fractions. */
export const serviceNumbersSchema = z.object({
  requests: z.number(),
  /** When the first request was read; 0 without one. */
  firstRequestAt: z.number(),
  lastAnswerAt: z.number(),
  /** From the request read to its answer written: mean and greatest, in ms. */
  heldMeanMs: z.number(),
  heldMostMs: z.number(),
  /** Answers per second over all, and over those between a fifth and four fifths of them. */
  rate: z.number(),
  middleRate: z.number(),
});
export type ServiceNumbers = z.infer<typeof serviceNumbersSchema>;
