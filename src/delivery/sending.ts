/**
 * A request on its way: one object that all its attempts share and only the sender (sender.ts)
 * changes. It knows the mark on its row in the ledger, and which intent the next attempt asks for.
 */

import type { Intent } from '../engine/ledger/intent.ts';
import type { KeyPlace } from '../engine/ledger/keys.ts';
import { type FirstIntent, intentMark, withFirst } from '../engine/ledger/mark.ts';
import { fieldsUnderWay } from '../engine/ledger/settle-entry.ts';
import type { ChunkLease } from '../engine/queue/chunk-worker.ts';
import { mayRepeat } from '../operations/operations.ts';
import { type Plan, WORKER_LOST } from './decide.ts';
import type { RowOrder } from './row-order.ts';
import type { Retry, RowEnd, RowTask } from './row-task.ts';
import type { RunContext } from './run-context.ts';
import type { Passage } from './service-breaker.ts';

/** `unsent`: the rows are as before. */
export type Ended = 'settled' | 'unsent';

export type ChunkTake = {
  readonly context: RunContext;
  /** Unique per take of a chunk: the owner of its intents. */
  readonly fencingToken: string;
  readonly lease: ChunkLease;
  /** `null`: each row goes by itself. */
  readonly order: RowOrder | null;
  /** Called once for each request of the chunk. */
  ended(how: Ended): void;
  /** The rows' fate could not be recorded, or the program failed. */
  failed(error: unknown): void;
};

/**
 * `waiting`: without an intent; `intended`: its intent is in the ledger and on disk; `onWire`: it
 * may have been received; `settling`: its outcome is on the way to the ledger; `over`: its end was
 * reported.
 */
type SendingState = 'waiting' | 'intended' | 'onWire' | 'settling' | 'over';

/** A request's rows on their way to their end, which is told to their take once. */
export type Ending = {
  readonly task: RowTask;
  readonly take: ChunkTake;
  state: SendingState;
  /** The intent on the row, `''` for none; the next one replaces it. */
  mark: string;
  /** p-retry waits for it: why another attempt is needed, or `null`. */
  again: ((verdict: Retry | null) => void) | null;
};

type SendPlan = Extract<Plan, { kind: 'send' }>;

export type Sending = Ending & {
  readonly plan: SendPlan;
  readonly chunk: number;
  readonly row: number;
  readonly identity: KeyPlace | null;
  readonly repeatable: boolean;
  /** Goes in its chunk's order, until that was granted or refused. */
  isInOrder: boolean;
  /** The intent that `mark` replaced: under it an earlier attempt may have arrived. */
  before: string;
  /** `null`: none so far, or no idempotency header. */
  first: FirstIntent | null;
  /** Its end unless accepted: it may have been carried out. */
  doubt: RowEnd | null;
  /** As it was when the intent was granted. */
  token: string;
  grantedAt: number;
  sentAt: number;
  made: number;
  /** Intents under which nothing was sent. */
  withdrawn: number;
  /** Attempts for which the service named a time to come back. */
  throttled: number;
  refreshed: boolean;
  /** Limits in a row that turned it away and seem to concern it alone, and since when. */
  alone: number;
  since: Passage;
  /** Rows accepted here, and in the run, when its latest limit by 403 came; -1: none came. */
  acceptedHere: number;
  acceptedInRun: number;
};

const NOTHING_SEEN: Passage = { accepted: 0, signs: 0 };

export function createSending(task: RowTask, plan: SendPlan, take: ChunkTake): Sending {
  const repeatable = mayRepeat(plan.request.call);
  return {
    task,
    plan,
    take,
    chunk: task.chunk,
    row: task.row.row,
    identity: task.identity,
    repeatable,
    isInOrder: isFresh(plan) && take.order?.admits(repeatable) === true,
    state: 'waiting',
    mark: plan.expected,
    before: '',
    first: plan.first ?? null,
    doubt: plan.first === undefined ? null : WORKER_LOST,
    token: '',
    grantedAt: 0,
    sentAt: 0,
    made: 0,
    withdrawn: 0,
    throttled: 0,
    refreshed: false,
    alone: 0,
    since: NOTHING_SEEN,
    acceptedHere: -1,
    acceptedInRun: -1,
    again: null,
  };
}

/** Nothing of the row can have been sent, and only its key has to be looked at. */
function isFresh({ expected, fields }: SendPlan): boolean {
  return expected === '' && fields === undefined;
}

/**
 * A limit turned the row away. A sign that others are limited too begins its count anew: a limit
 * never makes a row fail while it concerns others.
 */
export function turnedAway(sending: Sending): void {
  const { breaker } = sending.take.context;
  const isAlone = breaker.passage().signs === sending.since.signs;
  if (sending.alone === 0) breaker.limited();
  const { accepted, signs } = breaker.passage();
  sending.since = { accepted: isAlone ? sending.since.accepted : accepted, signs };
  sending.alone = isAlone ? sending.alone + 1 : 1;
}

/** As far as this process knows. */
export function maySend({ take }: Sending): boolean {
  const { context, lease } = take;
  return !context.stopping.aborted && context.isOpen() && lease.isHeld();
}

/** `null`: the row may go, as the service knows its value. */
export function endIfForgotten({ doubt, first, take }: Sending): RowEnd | null {
  const { idempotency } = take.context;
  const isRemembered = first !== null && idempotency?.isRemembered(first);
  return isRemembered ? null : doubt;
}

/** The intent of the next attempt. */
export function intentOf(sending: Sending): Intent {
  const { chunk, row, identity, repeatable, plan, take } = sending;
  const { idempotency } = take.context;
  if (sending.mark === '') sending.first = idempotency?.first(plan.request) ?? null;
  const { fields } = plan;
  return {
    chunk,
    row,
    mark: nextMark(sending),
    expected: sending.mark,
    identity,
    fields: fields === undefined ? null : { ...fields, own: fieldsUnderWay(take.fencingToken) },
    repeatable,
  };
}

function nextMark({ take, row, made, withdrawn, first }: Sending): string {
  const mark = intentMark(take.fencingToken, row, made + withdrawn + 1);
  return first === null ? mark : withFirst(mark, first);
}

export function intended(sending: Sending, token: string, now: number): void {
  const mark = nextMark(sending);
  sending.before = sending.mark;
  sending.mark = mark;
  sending.state = 'intended';
  sending.isInOrder = false;
  sending.token = token;
  sending.grantedAt = now;
}

/** Whether the row is unsent without its intent: no earlier attempt may have arrived. */
export function isFreeWithout({ before }: Pick<Sending, 'before'>): boolean {
  return before === '';
}

/** Nothing was sent under the row's intent. `mark`: what stands on the row instead. */
export function notSent(sending: Sending, mark: string): void {
  sending.state = 'waiting';
  sending.mark = mark;
  sending.withdrawn += 1;
}

export function endSending(ending: Ending, how: Ended): void {
  if (!isOver(ending)) ending.take.ended(how);
}

export function failSending(ending: Ending, error: unknown): void {
  if (!isOver(ending)) ending.take.failed(error);
}

function isOver(ending: Ending): boolean {
  const { state, again } = ending;
  ending.state = 'over';
  ending.again = null;
  again?.(null);
  return state === 'over';
}
