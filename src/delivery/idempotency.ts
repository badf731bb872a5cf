/**
 * Creates with an idempotency header, the one exception to
 * "never sent again": one value goes with one request, byte for
 * byte, while the service knows it.
 *
 * - The value: a digest of the run's random number, row, path and
 *   body. Every intent of the row names it and the moment of the
 *   first, by its worker's wall clock.
 * - A lost one goes again until nine tenths of the hours, less an
 *   attempt's time, are over: clocks may differ by the rest. That
 *   is asked before each intent and at the last look. A first
 *   intent in the future is none.
 * - A dead worker's row too, where the very value comes of it and
 *   Redis lost nothing of its chunk. Another value would be a
 *   second create.
 * - Then only an acceptance ends the row: who refuses the second
 *   request need not know of the first. Only then do 409 and 425
 *   mean "in use".
 * - Two takes may send at once, where one lost its chunk: see
 *   `shared` (settle-entry.ts).
 * - A group is one request: its first row counts.
 */

import type { JobDefinition } from '../config/job-definition.ts';
import type { FirstIntent } from '../engine/ledger/mark.ts';
import { shortDigest } from '../lib/digest.ts';
import { wasAccepted } from '../model/outcome.ts';
import type { ServiceRequest } from '../model/request.ts';
import type { RowEnd } from './row-task.ts';

export type Idempotency = {
  withValue(request: ServiceRequest, row: number): ServiceRequest;
  /** For the first intent of a row, now. */
  first(request: Pick<ServiceRequest, 'idempotency'>): FirstIntent | null;
  isRemembered(first: FirstIntent): boolean;
};

/** 192 bits. */
const CHARACTERS = 32;
const HOUR_MS = 3_600_000;
const SHARE = 0.9;

/** `null`: the job has none. `nonce`: the run's; `now`: the wall clock. */
export function createIdempotency(
  { request: own, send }: Pick<JobDefinition, 'request' | 'send'>,
  nonce: string | undefined,
  now: () => number = Date.now,
): Idempotency | null {
  const { idempotencyHeader: header, idempotencyHours: hours = 0 } = own ?? {};
  if (header === undefined) return null;
  const longest = SHARE * hours * HOUR_MS - send.timeoutSeconds * 1000;
  return {
    withValue(request, row) {
      if (nonce === undefined) throw new Error('the run has no random number');
      const { path, body } = request;
      const text = JSON.stringify([nonce, row, path, body]);
      const value = shortDigest(text, CHARACTERS);
      return { ...request, idempotency: { header, value } };
    },
    first: ({ idempotency: key }) => (key === undefined ? null : { at: now(), value: key.value }),
    isRemembered({ at }) {
      const since = now() - at;
      return since >= 0 && since < longest;
    },
  };
}

/** `doubt`: of an earlier request, which may have been carried out. */
export function endOver(doubt: RowEnd | null, end: RowEnd): RowEnd {
  const isLast = end.outcome === 'in-doubt' || wasAccepted(end.outcome);
  if (doubt === null || isLast) return end;
  const { attempts = 0, message = end.outcome } = end;
  const values = { ...end.values, ...doubt.values };
  const words = `${doubt.message ?? ''} (sent again: ${message})`;
  return { ...doubt, attempts, message: words, values };
}
