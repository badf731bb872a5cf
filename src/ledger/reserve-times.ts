import { z } from 'zod';
import { gated, type LedgerGate } from './gate.ts';
import { RESERVE } from './lua/reserve.ts';

/** Times on a run's time line that are one worker's now. */
export type Reserved = {
  /** How many, evenly spaced; 0: there are none for now. */
  readonly times: number;
  /** Until the first of them, or until it is worth asking again, ms; below 0: it is over since. */
  readonly inMs: number;
};

/** No time is given that is farther off: those of a worker that is killed are lost. */
export const AHEAD_MS = 20;
/** Of a moment in which nobody asked, that much is made up for: a twenty-fifth of what goes in a second. */
const BEHIND_MS = 40;

const reserve = gated(RESERVE, z.tuple([z.coerce.number(), z.coerce.number()]));

/** Asks for as many times as `times` on the time line at `key`, `intervalMs` apart over all workers together. */
export async function reserveTimes(
  gate: LedgerGate,
  key: string,
  { times, intervalMs }: { readonly times: number; readonly intervalMs: number },
): Promise<Reserved> {
  const args = [times, intervalMs * 1000, AHEAD_MS * 1000, BEHIND_MS * 1000];
  const [given, microseconds] = await gate.call(reserve, [key], args);
  return { times: given, inMs: microseconds / 1000 };
}
