/**
 * What becomes of a request, as pure tables: they answer effects in their order, and only the
 * sender carries them out.
 */

import { type JobDefinition, pathColumnsOf } from '../config/job-definition.ts';
import type { Granted } from '../engine/ledger/intent.ts';
import type { Streak } from '../engine/ledger/settle-entry.ts';
import type { Call } from '../model/operation.ts';
import type { Refusal, Reply, Verdict } from '../model/request.ts';
import type { Reason } from '../model/run.ts';
import { isUnreadable, wasRefused } from '../model/settlement.ts';
import { isInPath, mayHaveChanged } from '../operations/operations.ts';
import { endOf, type Final, isLimit, type Retry, type RowEnd } from './row-task.ts';
import { isFreeWithout, type Sending } from './sending.ts';
import type { AttemptFailure } from './service-breaker.ts';

export type Wait = Extract<Granted, { kind: 'wait' }>;

export type Effect =
  /** Goes once there is a permit; `isFirst`: before those that are ready. */
  | { readonly kind: 'ready'; readonly isFirst: boolean }
  /** Asks again later, with all others of the run. */
  | { readonly kind: 'wait'; readonly wait: Wait }
  /** Asks again, outside its chunk's order. */
  | { readonly kind: 'alone' }
  /** None of the run's rows goes any more. */
  | { readonly kind: 'halt' }
  /** Concerns all rows perhaps: those that have not gone ask again. */
  | { readonly kind: 'recall' }
  | { readonly kind: 'tell'; readonly failure: Omit<AttemptFailure, 'mark'> }
  /** Nothing was sent under the intent, or the service says that it did nothing. */
  | { readonly kind: 'withdraw' }
  /** `problem`: what to put right. */
  | { readonly kind: 'pause'; readonly reason: Reason; readonly problem?: string }
  /** Pauses the run where none of its requests was answered for too long. */
  | { readonly kind: 'pause-if-away' }
  /** Asks for another token; `afterToken` says what follows. */
  | { readonly kind: 'refresh' }
  /** Another attempt is safe; p-retry says whether and when. */
  | {
      readonly kind: 'again';
      readonly verdict: Retry;
      readonly because: 'failed' | 'throttled' | 'refreshed';
      /** What the row comes to unless it is accepted. */
      readonly doubt?: RowEnd | undefined;
    }
  | { readonly kind: 'settle'; readonly end: RowEnd }
  /** Its rows are as before. */
  | { readonly kind: 'unsent' };

export type Effects = readonly Effect[];
type Facts = Pick<Sending, 'state' | 'isInOrder' | 'before' | 'made' | 'first' | 'doubt'>;

const NONE: Effects = [];
const READY: Effects = [{ kind: 'ready', isFirst: false }];
const READY_FIRST: Effects = [{ kind: 'ready', isFirst: true }];
const WITHDRAW: Effect = { kind: 'withdraw' };
const RECALL: Effect = { kind: 'recall' };
const HALT: Effect = { kind: 'halt' };
const ALONE: Effects = [{ kind: 'alone' }];
export const UNSENT: Effects = [{ kind: 'unsent' }];

export function afterGrant(answer: Granted | undefined, facts: Facts): Effects {
  switch (answer?.kind) {
    case 'granted':
      return facts.made > 0 ? READY_FIRST : READY;
    case 'wait':
      return [{ kind: 'wait', wait: answer }];
    case 'halted': {
      const { pauseFor: reason } = answer;
      if (reason === undefined) return [...UNSENT, HALT];
      return [{ kind: 'pause', reason }, ...UNSENT, HALT];
    }
    case 'held':
      return [{ kind: 'settle', end: { ...heldBy(answer.by), attempts: facts.made } }];
    case 'unwritten':
      return [{ kind: 'pause', reason: 'journal', problem: answer.problem }, ...UNSENT, HALT];
    // In order: only the order is refused. Else another take has or had the row, or a lost worker
    // may have: the next take decides.
    case 'taken':
    case 'unclaimed':
    case undefined:
      return facts.isInOrder ? ALONE : UNSENT;
    default:
      return answer satisfies never;
  }
}

function heldBy({ run, row }: { readonly run: string; readonly row: number }): RowEnd {
  const message = 'row {row} of run {run} has this key and is not done yet';
  return { outcome: 'invalid', code: 'key_held', message, values: { row: String(row), run } };
}

/** For a request that has not gone and is not to go. */
export function givenUp(facts: Facts): Effects {
  return facts.state === 'intended' ? [...withdrawn(facts), ...UNSENT] : UNSENT;
}

export type Answered = {
  readonly verdict: Verdict;
  readonly reply: Reply;
  readonly call: Call;
  /** When the reply came, ms since 1970. */
  readonly at: number;
};

/** So many 403 in a row, with no success between, mean a missing permission. */
const DENIED_IN_A_ROW = 3;

/** So many refusals of one kind in a row, with no success between, are not about their rows. */
const REFUSED_ALIKE = 50;

/** Of this process, with no success between. */
export type InARow = { readonly denied: number; readonly failed: number };
export const NONE_IN_A_ROW: InARow = { denied: 0, failed: 0 };

/** Refusals of another kind count for neither side. After those that paused the run: 1 again. */
export function inARow(before: InARow, verdict: Verdict): InARow {
  if (verdict.kind === 'accepted') return NONE_IN_A_ROW;
  if (verdict.kind !== 'refused') return before;
  const { denied, failed } = before;
  if (verdict.outcome === 'denied') return { ...before, denied: (denied % DENIED_IN_A_ROW) + 1 };
  if (verdict.outcome !== 'failed') return before;
  return { ...before, failed: (failed % REFUSED_ALIKE) + 1 };
}

/** `counted`: with this one. */
export function afterReply(answered: Answered, facts: Facts, counted: InARow): Effects {
  const { verdict, reply, call } = answered;
  switch (verdict.kind) {
    case 'accepted':
      return [settled(verdict, reply, facts)];
    case 'refused':
      if (isInUse(verdict, facts)) return [sameAgain(verdict, reply)];
      return afterRefusal(verdict.outcome, settled(verdict, reply, facts), counted);
    case 'unknown':
      return afterUnknown(verdict, answered, facts);
    case 'retry': {
      const because = verdict.afterMs === null && !isLimit(verdict) ? 'failed' : 'throttled';
      // What may have been carried out keeps its intent until another attempt's answer: an update,
      // and a call of one's own, of which nobody here knows what it does.
      const isKept = mayHaveChanged(call) && mayHaveArrived(reply);
      const withdraw = isKept ? NONE : withdrawn(facts);
      return [RECALL, told(verdict, reply), ...withdraw, { kind: 'again', verdict, because }];
    }
    case 'stop': {
      const { reason, message: problem } = verdict;
      if (verdict.status === UNAUTHORIZED)
        return [RECALL, REFUSED_TOKEN, ...withdrawn(facts), { kind: 'refresh' }];
      const pause: Effect = { kind: 'pause', reason, problem };
      return [RECALL, told(verdict, reply), ...withdrawn(facts), pause, ...UNSENT];
    }
    default:
      return verdict satisfies never;
  }
}

function afterUnknown(verdict: Unknown, answered: Answered, facts: Facts): Effects {
  const { reply } = answered;
  const end = endInDoubt(verdict, answered, facts.made);
  const tell = told(verdict, reply);
  const goesAgain = facts.first !== null && mayHaveArrived(reply);
  if (goesAgain) return [RECALL, tell, sameAgain(verdict, reply, end)];
  const settle = { kind: 'settle', end } as const;
  // The service is there: each probe would leave another in doubt.
  if (isSuccess(verdict.status)) return [RECALL, settle];
  // Creates with lost answers are not retried, for the same reason.
  return [RECALL, tell, settle, { kind: 'pause-if-away' }];
}

function afterRefusal(outcome: Refusal['outcome'], end: Effect, counted: InARow): Effects {
  if (outcome === 'denied' && counted.denied === DENIED_IN_A_ROW)
    return [RECALL, end, { kind: 'pause', reason: 'permission' }];
  // The ledger may pause the run now: it counts over all workers.
  return outcome === 'failed' && counted.failed === REFUSED_ALIKE ? [RECALL, end] : [end];
}

function settled(verdict: Final, { ms }: Reply, { made }: Facts): Effect {
  return { kind: 'settle', end: endOf(verdict, made, ms) };
}

type Unknown = Extract<Verdict, { kind: 'unknown' }>;

/** With what helps to find it at the service. */
function endInDoubt(verdict: Unknown, { reply, at }: Answered, made: number): RowEnd {
  const { ms, requestId } = reply;
  const sentAt = new Date(at - ms).toISOString();
  const values = { sentAt, ...(requestId !== undefined && { requestId }) };
  return { ...endOf(verdict, made, ms), values };
}

const IN_USE: ReadonlySet<number> = new Set([409, 425]);

/** The row's value, which an earlier request may have brought. */
function isInUse({ status }: Refusal, { doubt }: Facts): boolean {
  return doubt !== null && IN_USE.has(status);
}

/** The very request, under its value. */
function sameAgain(of: Refusal | Unknown, reply: Reply, doubt?: RowEnd): Effect {
  const { status, code, message } = of;
  const afterMs = reply.kind === 'response' ? reply.retryAfterMs : null;
  const verdict: Retry = { kind: 'retry', status, code, message, afterMs };
  return { kind: 'again', verdict, because: 'failed', doubt };
}

/** The service answered, and is there: also with a success that can't be read. */
export function isAnswer(verdict: Verdict): boolean {
  if (verdict.kind === 'unknown') return isSuccess(verdict.status);
  return verdict.kind === 'accepted' || verdict.kind === 'refused';
}

function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}

const UNREADABLE_IN_A_ROW = 5;

/** What the end of a row says of the others. A job that sets `stopAfter` goes by that alone. */
export function streakOf(
  end: RowEnd,
  call: Call,
  job: Pick<JobDefinition, 'stopAfter' | 'request'>,
): Streak | null {
  const settled = { outcome: end.outcome, status: end.status ?? 0 };
  if (isUnreadable(settled)) return UNREADABLE;
  // 418 and 403 are not `failed`: one speaks of the row, the other has a count of its own.
  if (settled.outcome !== 'failed' || !wasRefused(settled)) return null;
  if (job.stopAfter !== undefined) return null;
  const isOfRow = isInPath(call) || pathColumnsOf(job).length > 0;
  if (settled.status === NOT_FOUND && isOfRow) return null;
  return { of: String(settled.status), limit: REFUSED_ALIKE, reason: 'same-refusal' };
}

const UNREADABLE: Streak = {
  of: 'unreadable',
  limit: UNREADABLE_IN_A_ROW,
  reason: 'unreadable-answers',
};

const NOT_FOUND = 404;
const UNAUTHORIZED = 401;
/** Also the answer to a probe: the service is there. */
const REFUSED_TOKEN: Effect = {
  kind: 'tell',
  failure: { status: UNAUTHORIZED, afterMs: null, isReached: true, cause: '' },
};
/** Codes without more information than their sentence; those of undici and Node help a search. */
const OUR_CODES = 'ONBOARD_';

type Stop = Extract<Verdict, { kind: 'stop' }>;

function told(verdict: Unknown | Retry | Stop, reply: Reply): Effect {
  const { status, message } = verdict;
  const isOurs = reply.kind === 'response' || reply.code.startsWith(OUR_CODES);
  const cause = isOurs ? message : message.replace(/\.$/, ` (${reply.code}).`);
  const afterMs = verdict.kind === 'retry' ? verdict.afterMs : null;
  const isReached = reply.kind !== 'no-response' || reply.sent;
  return { kind: 'tell', failure: { status, afterMs, isReached, cause } };
}

/** False where provably nothing was sent, or the answer says that it was not carried out. */
function mayHaveArrived(reply: Reply): boolean {
  if (reply.kind === 'no-response') return reply.sent;
  if (reply.kind === 'unreadable') return true;
  return reply.status >= 500 && reply.retryAfterMs === null;
}

/** The row is free, unless an earlier attempt may have arrived. */
function withdrawn(facts: Facts): Effects {
  return isFreeWithout(facts) ? [WITHDRAW] : NONE;
}

/** 401: a fresh token, once; then the run pauses and the row is unsent. */
export function afterToken(fresh: boolean): Effects {
  if (!fresh) return [{ kind: 'pause', reason: 'credentials' }, ...UNSENT];
  const message = 'the token was refused; trying once with a fresh one';
  const verdict: Retry = { kind: 'retry', status: UNAUTHORIZED, code: 'http_401', message, afterMs: 0 };
  return [{ kind: 'again', verdict, because: 'refreshed' }];
}
