/**
 * A row on its way: what one take of its chunk knows of the attempts so far, the intent of the next one, and what one attempt can come to.
 */

import type { JobDefinition } from '../config/job-definition.ts';
import type { Intent } from '../ledger/exchange.ts';
import type { KeyPlace } from '../ledger/keys.ts';
import { intentMark } from '../ledger/mark.ts';
import { fieldsUnderWay } from '../ledger/settle-entry.ts';
import { type Call, mayRepeat, spaceOf } from '../model/operation.ts';
import type { ServiceRequest, Verdict } from '../model/request.ts';
import type { Retry } from './retry-policy.ts';
import type { RowTask } from './row-task.ts';
import type { RunContext } from './run-context.ts';

/** A row on its way, in the hands of one take of its chunk. */
export type Sending = {
  readonly task: RowTask;
  readonly request: ServiceRequest;
  /** Unique per take of a chunk: the owner of its intents. */
  readonly taker: string;
  /** False once this worker may have lost the chunk: nothing more of it may be sent. */
  readonly isHeld: () => boolean;
  /** The record whose fields are followed, and what was known of them; `null`: they aren't. */
  readonly fields: (KeyPlace & { readonly before: string }) | null;
  /** The mark that the next intent replaces, `''` for none. */
  expected: string;
  made: number;
  /** Intents taken back before anything was sent: each intent has a mark of its own. */
  withdrawn: number;
  throttled: number;
  refreshed: boolean;
  /** An attempt's outcome, here or in a worker that died, is not known and the user chose to send again (`onUnknownOutcome: retry`). */
  everUnknown: boolean;
};

/** One attempt's result for the row. */
export type Tried =
  | {
      readonly kind: 'final';
      readonly verdict: Exclude<Verdict, { kind: 'retry' | 'stop' }>;
      readonly ms: number;
    }
  /** Another attempt is safe: nothing was received, or the call may be repeated, and then its intent stays. */
  | { readonly kind: 'again'; readonly verdict: Retry }
  /** Nothing was received and the row stays as it was: the process or the run ends, or another worker has the row. */
  | { readonly kind: 'unsent' }
  /** Nothing was received: since the file was read, the key has become another row's. */
  | { readonly kind: 'held'; readonly by: { readonly run: string; readonly row: number } };

/** Whether nothing has come between: the process or the run ends, the window is closed, or the chunk may be another worker's. */
export function maySend(sending: Sending, context: RunContext): boolean {
  return !context.stopping.aborted && context.isOpen() && sending.isHeld();
}

/** The intent of the row's next attempt. */
export function intentOf(
  { task, taker, made, withdrawn, expected, request, fields }: Sending,
  { definition }: RunContext,
): Intent {
  const { chunk, row, identityKey: key } = task;
  const space = task.claim.kind === 'claimed' ? spaceOf(task.run.operation) : null;
  return {
    chunk,
    row: row.row,
    mark: intentMark(taker, row.row, made + withdrawn + 1),
    expected,
    identity: space === null || key === null ? null : { space, key },
    fields: fields === null ? null : { ...fields, own: fieldsUnderWay(taker) },
    repeatable: isRepeatable(request.call, definition),
  };
}

/** Whether a row is sent although a lost worker may have sent it. */
export function isRepeatable(
  call: Call,
  { onUnknownOutcome }: Pick<JobDefinition, 'onUnknownOutcome'>,
): boolean {
  return mayRepeat(call) || onUnknownOutcome === 'retry';
}
