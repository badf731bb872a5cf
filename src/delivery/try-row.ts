import type { Granted } from '../ledger/intend-rows.ts';
import type { Intent } from '../ledger/intent.ts';
import { intentMark } from '../ledger/mark.ts';
import { fieldsUnderWay, type KeyPlace } from '../ledger/settle-entry.ts';
import { passStage } from '../lib/stage.ts';
import { IDENTITY, REPEATABLE } from '../model/operation.ts';
import type { Reply } from '../model/reply.ts';
import type { ServiceRequest } from '../model/request.ts';
import type { Verdict } from '../model/verdict.ts';
import { withdrawIntents } from './record-rows.ts';
import type { Retry } from './retry-policy.ts';
import type { RowTask } from './row-task.ts';
import type { RunContext } from './run-context.ts';
import { waitWhileRunning } from './still-runs.ts';

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
  /** The intent is withdrawn; another attempt is safe. */
  | { readonly kind: 'again'; readonly verdict: Retry }
  /** Nothing was received and the row stays as it was: the process or the run ends, or another worker has the row. */
  | { readonly kind: 'unsent' }
  /** Nothing was received: since the file was read, the key has become another row's. */
  | { readonly kind: 'held'; readonly by: { readonly run: string; readonly row: number } };

const UNAUTHORIZED = 401;
const UNSENT = { kind: 'unsent' } as const;

type Permit =
  | { readonly kind: 'permitted'; readonly token: string }
  | Extract<Tried, { kind: 'unsent' | 'held' }>;

/** A place in flight, which is not held while the row waits for the service. */
type Place = { isHeld: boolean };

/** One attempt: intend, send, judge; the intent is in the ledger before the first byte leaves. */
export async function tryRow(sending: Sending, context: RunContext): Promise<Tried> {
  const { places } = context;
  if (!places.tryTake() && !(await places.take(sending.made > 0))) return UNSENT;
  const place: Place = { isHeld: true };
  let reply: Reply | null = null;
  let permit: Permit = UNSENT;
  const intent = intentOf(sending, context);
  try {
    permit = await permitted(intent, sending, { context, place });
    if (permit.kind === 'permitted')
      reply = await attempted(intent, sending, { context, token: permit.token });
  } finally {
    if (place.isHeld) places.release(reply);
  }
  if (permit.kind !== 'permitted') return permit;
  if (reply === null) return UNSENT;
  return weigh(sending, context, {
    verdict: context.service.judge(sending.request.call, reply),
    ms: reply.ms,
    intent,
    token: permit.token,
    mayHaveArrived: mayHaveArrived(reply) && sending.request.call === 'subclient.update',
  });
}

/** Sends under an intent that is granted; `null`: it was not sent, and the intent is withdrawn. */
async function attempted(
  intent: Intent,
  sending: Sending,
  { context, token }: { readonly context: RunContext; readonly token: string },
): Promise<Reply | null> {
  sending.expected = intent.mark;
  // Time has passed since the last look: the chunk may be lost between the intent and the first byte.
  if (!maySend(sending, context)) {
    await withdrawUnlessUnknown(sending, context, intent);
    return null;
  }
  sending.made += 1;
  const rows = () => [intent.row];
  passStage('sending', rows);
  const reply = await context.service.attempt(sending.request, token);
  passStage('answered', rows);
  return reply;
}

/** The intent is recorded, with a place in hand; or why it may not go. */
async function permitted(
  intent: Intent,
  sending: Sending,
  { context, place }: { readonly context: RunContext; readonly place: Place },
): Promise<Permit> {
  for (;;) {
    if (!maySend(sending, context)) return UNSENT;
    const token = await context.service.token();
    const granted: Granted = await context.ledger.intend(intent);
    if (granted.kind === 'granted') return { kind: 'permitted', token };
    if (granted.kind === 'held') return granted;
    if (granted.kind === 'unwritten') {
      context.onTrouble('the journal could not be written', new Error(granted.problem));
      await context.pause('journal');
    }
    if (granted.kind !== 'wait') return UNSENT;
    // A place that is held meanwhile could be the one that the row needs which is to probe whether the service is back.
    context.places.release(null);
    place.isHeld = false;
    if (!(await waitWhileRunning(granted.ms, context))) return UNSENT;
    place.isHeld = await context.places.take(true);
    if (!place.isHeld) return UNSENT;
  }
}

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
  const space = task.claim.kind === 'claimed' ? IDENTITY[task.run.operation] : null;
  return {
    chunk,
    row: row.row,
    mark: intentMark(taker, row.row, made + withdrawn + 1),
    expected,
    identity: space === null || key === null ? null : { space, key },
    fields: fields === null ? null : { ...fields, own: fieldsUnderWay(taker) },
    repeatable: REPEATABLE[request.call] || definition.onUnknownOutcome === 'retry',
  };
}

type Answered = {
  readonly verdict: Verdict;
  readonly ms: number;
  readonly intent: Intent;
  readonly token: string;
  /** The request changes something at the service, and may have done so whatever its reply. */
  readonly mayHaveArrived: boolean;
};

/** Not where it is proven that nothing was sent, and not where a definite answer says that it was not carried out. */
export function mayHaveArrived(reply: Reply): boolean {
  if (reply.kind === 'no-response') return reply.sent;
  return reply.kind === 'unreadable' || (reply.status >= 500 && reply.retryAfterMs === null);
}

/** What an attempt's verdict makes of the row's sending: told to the weather, and its intent withdrawn where nothing was received. */
export async function weigh(sending: Sending, context: RunContext, answered: Answered): Promise<Tried> {
  const { verdict, ms, intent } = answered;
  switch (verdict.kind) {
    case 'accepted':
    case 'refused':
      context.weather.answered(ms);
      return { kind: 'final', verdict, ms };
    case 'unknown':
      await context.weather.stumbled({ mark: intent.mark, status: verdict.status, afterMs: null });
      if (context.definition.onUnknownOutcome === 'hold') return { kind: 'final', verdict, ms };
      sending.everUnknown = true;
      // The intent stays: should this process die now, the row is not free.
      return { kind: 'again', verdict: { ...verdict, kind: 'retry', afterMs: null } };
    case 'retry':
      await context.weather.stumbled({ mark: intent.mark, status: verdict.status, afterMs: verdict.afterMs });
      // An update that may have been carried out is not unsent: its intent says so until another attempt has its answer.
      if (!answered.mayHaveArrived) await withdrawUnlessUnknown(sending, context, intent);
      if (verdict.afterMs !== null) sending.throttled += 1;
      return { kind: 'again', verdict };
    case 'stop':
      return stopOrRefresh(sending, context, answered);
    default:
      return verdict satisfies never;
  }
}

async function withdrawUnlessUnknown(sending: Sending, context: RunContext, intent: Intent): Promise<void> {
  if (sending.everUnknown) return;
  await withdrawIntents([intent], context);
  sending.expected = '';
}

/** 401: a fresh token, once; then the run pauses and the row is unsent (DESIGN.md, section 5). */
async function stopOrRefresh(sending: Sending, context: RunContext, answered: Answered): Promise<Tried> {
  // A refused token is an answer: should this have been the probe, the service is there.
  await context.weather.stumbled({ mark: answered.intent.mark, status: UNAUTHORIZED, afterMs: null });
  await withdrawUnlessUnknown(sending, context, answered.intent);
  const fresh = sending.refreshed ? null : await context.service.freshToken(answered.token);
  if (fresh === null) {
    await context.pause('credentials');
    return UNSENT;
  }
  sending.refreshed = true;
  sending.throttled += 1;
  const message = 'the token was refused; trying once with a fresh one';
  return { kind: 'again', verdict: { kind: 'retry', status: 401, code: 'http_401', message, afterMs: 0 } };
}
