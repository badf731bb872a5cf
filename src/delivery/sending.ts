/**
 * A request on its way: one object, made when its chunk's rows are executed, that all its attempts share and the sender (sender.ts) alone
 * changes. It knows what stands on its row in the ledger, which intent the next attempt asks for, and whether anything has come between. Its
 * end is told exactly once.
 */

import type { Intent } from '../ledger/intent.ts';
import type { KeyPlace } from '../ledger/keys.ts';
import { intentMark } from '../ledger/mark.ts';
import { fieldsUnderWay } from '../ledger/settle-entry.ts';
import { mayRepeat } from '../model/operation.ts';
import type { ChunkLease } from '../queue/chunk-worker.ts';
import type { Planned, PlannedSend } from './decide.ts';
import type { RowOrder } from './row-order.ts';
import { ownKey, type Retry } from './row-task.ts';
import type { RunContext } from './run-context.ts';

/** What became of a request's rows; `unsent`: they are as before. */
export type Ended = 'settled' | 'unsent';

/** Told once of each request. */
export type EndListener = {
  ended(how: Ended): void;
  /** Their fate could not be recorded, or the program failed. */
  failed(error: unknown): void;
};

/** One take of a chunk: what its rows are executed with. */
export type ChunkTake = {
  readonly context: RunContext;
  /** Unique per take of a chunk: the owner of its intents. */
  readonly taker: string;
  readonly lease: ChunkLease;
  /** `null`: each row goes by itself. */
  readonly order: RowOrder | null;
};

/**
 * `waiting`: it has no intent that lets it go; `intended`: its intent is in the ledger and on the disk; `onWire`: it may have been
 * received; `settling`: its outcome is on the way to the ledger; `over`: its end was told.
 */
type SendingState = 'waiting' | 'intended' | 'onWire' | 'settling' | 'over';

export type Sending = PlannedSend & {
  readonly take: ChunkTake;
  readonly end: EndListener;
  readonly chunk: number;
  readonly row: number;
  /** What the row's key is known by, to be restored with the intent; `null`: nothing. */
  readonly identity: KeyPlace | null;
  /** The call may be repeated: it is sent also where a lost worker may have sent it. */
  readonly repeatable: boolean;
  /** Its first attempt goes in its chunk's order; no more once that was granted, or refused. */
  isInOrder: boolean;
  state: SendingState;
  /** The intent that stands on the row, `''` for none; the next one replaces it. */
  mark: string;
  /** The intent that `mark` has replaced. A row that had one is not free when `mark` is of no use: an earlier attempt may have arrived. */
  before: string;
  /** The token of the time when its intent was granted. */
  token: string;
  /** When its intent was granted, by the context's clock. */
  grantedAt: number;
  /** When its latest attempt began. */
  sentAt: number;
  made: number;
  /** Intents that no request was sent under: each intent has a mark of its own. */
  withdrawn: number;
  /** Of the attempts made: the service named a time to come back. */
  throttled: number;
  refreshed: boolean;
  /** Of a later attempt, which p-retry waits for: told why another is needed, or that none is (`null`). */
  again: ((verdict: Retry | null) => void) | null;
};

export function createSending(
  { lead, mates, ends, warnings }: Planned,
  plan: PlannedSend['plan'],
  { take, end }: Pick<Sending, 'take' | 'end'>,
): Sending {
  const { order } = take;
  const repeatable = mayRepeat(plan.request.call);
  return {
    lead,
    mates,
    plan,
    ends,
    warnings,
    take,
    end,
    chunk: lead.chunk,
    row: lead.row.row,
    identity: ownKey(lead),
    repeatable,
    isInOrder: isFresh(plan) && order?.admits(repeatable) === true,
    state: 'waiting',
    mark: plan.expected,
    before: '',
    token: '',
    grantedAt: 0,
    sentAt: 0,
    made: 0,
    withdrawn: 0,
    throttled: 0,
    refreshed: false,
    again: null,
  };
}

/** Whether nothing of the row can have been sent before, and nothing but its key has to be looked at. */
function isFresh({ expected, fields }: PlannedSend['plan']): boolean {
  return expected === '' && fields === undefined;
}

/**
 * Whether nothing has come between, as far as this process knows: it ends, it was told that the run does, the window is closed, or the
 * chunk may be another worker's.
 */
export function maySend({ take }: Sending): boolean {
  const { context, lease } = take;
  return !context.stopping.aborted && context.isOpen() && lease.isHeld();
}

/** The intent of the next attempt; of one that is granted already, the same. */
export function intentOf(sending: Sending): Intent {
  const { chunk, row, identity, repeatable, state, before, plan, take } = sending;
  const { fields } = plan;
  const isGranted = state === 'intended';
  return {
    chunk,
    row,
    mark: isGranted ? sending.mark : nextMark(sending),
    expected: isGranted ? before : sending.mark,
    identity,
    fields: fields === undefined ? null : { ...fields, own: fieldsUnderWay(take.taker) },
    repeatable,
  };
}

function nextMark({ take, row, made, withdrawn }: Sending): string {
  return intentMark(take.taker, row, made + withdrawn + 1);
}

/** Notes that the intent which was asked for stands on the row. */
export function intended(sending: Sending, token: string, now: number): void {
  if (sending.state === 'waiting') {
    const mark = nextMark(sending);
    sending.before = sending.mark;
    sending.mark = mark;
    sending.state = 'intended';
    sending.isInOrder = false;
  }
  sending.token = token;
  sending.grantedAt = now;
}

/** Whether the row is unsent once its intent is taken back: no earlier attempt may have arrived. */
export function isFreeWithout({ before }: Pick<Sending, 'before'>): boolean {
  return before === '';
}

/** Notes that nothing was sent under the row's intent; `mark`: what stands on the row instead. */
export function notSent(sending: Sending, mark: string): void {
  sending.state = 'waiting';
  sending.mark = mark;
  sending.withdrawn += 1;
}

/** Its rows are recorded, or as before. */
export function endSending(sending: Sending, how: Ended): void {
  if (!isOver(sending)) sending.end.ended(how);
}

/** The rows' fate could not be recorded, or the program failed: their chunk is handed out again. */
export function failSending(sending: Sending, error: unknown): void {
  if (!isOver(sending)) sending.end.failed(error);
}

function isOver(sending: Sending): boolean {
  const { state, again } = sending;
  sending.state = 'over';
  sending.again = null;
  again?.(null);
  return state === 'over';
}
