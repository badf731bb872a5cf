import { z } from 'zod';
import { outcomeSchema } from './outcome.ts';

/**
 * What the ledger keeps of a settled row, and what a line of results.csv is made of.
 * A tuple, since a run of a million rows holds a million of them:
 * row, line (0: not known), key, outcome, status (0: none), id, attempts, ms, code, message. No personal data but the key.
 */
export const settlementSchema = z.tuple([
  z.number().int().positive(),
  z.number().int().nonnegative(),
  z.string(),
  outcomeSchema,
  z.number().int().nonnegative(),
  z.string(),
  z.number().int().nonnegative(),
  z.number().int().nonnegative(),
  z.string(),
  z.string(),
]);
export type SettlementTuple = z.infer<typeof settlementSchema>;

export type Settlement = {
  readonly row: number;
  /** 0 where it is not known: the row's file was gone when its run was cancelled. */
  readonly line: number;
  readonly key: string;
  readonly outcome: z.infer<typeof outcomeSchema>;
  /** HTTP status, 0 where none was received. */
  readonly status: number;
  /** The service's identifier, empty where none is known. */
  readonly id: string;
  readonly attempts: number;
  /** Duration of the last attempt, milliseconds. */
  readonly ms: number;
  readonly code: string;
  readonly message: string;
};

export function toTuple(s: Settlement): SettlementTuple {
  return [s.row, s.line, s.key, s.outcome, s.status, s.id, s.attempts, s.ms, s.code, s.message];
}

export function fromTuple(tuple: SettlementTuple): Settlement {
  const [row, line, key, outcome, status, id, attempts, ms, code, message] = tuple;
  return { row, line, key, outcome, status, id, attempts, ms, code, message };
}
