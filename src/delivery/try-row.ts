/**
 * One attempt of a row: permit, intent, a last look at the lease, request, verdict. The intent is in the ledger and in the journal before
 * the first byte leaves, and is withdrawn only where it is proven that nothing was received. The breaker is told what the attempt came to.
 */

import { awayMsOf } from '../config/job-definition.ts';
import type { Granted, Intent } from '../ledger/intent.ts';
import { passStage } from '../lib/stage.ts';
import type { Reply, Verdict } from '../model/request.ts';
import type { RunContext } from './run-context.ts';
import { intentOf, maySend, type Sending, type Tried } from './sending.ts';
import { withdrawIntents } from './settle-rows.ts';
import { waitForService } from './still-runs.ts';

const UNSENT = { kind: 'unsent' } as const;

type Permission =
  | { readonly kind: 'permitted'; readonly token: string }
  | Extract<Tried, { kind: 'unsent' | 'held' }>;

/** A permit, which is given back while the row waits for the service. */
type Permit = { isHeld: boolean };

/** One attempt: intend, send, judge; the intent is in the ledger before the first byte leaves. */
export async function tryRow(sending: Sending, context: RunContext): Promise<Tried> {
  const { permits } = context;
  if (!permits.tryTake() && !(await permits.take(sending.made > 0))) return UNSENT;
  const permit: Permit = { isHeld: true };
  let reply: Reply | null = null;
  let permission: Permission = UNSENT;
  const intent = intentOf(sending, context);
  try {
    permission = await permitted(intent, sending, { context, permit });
    if (permission.kind === 'permitted')
      reply = await attempted(intent, sending, { context, token: permission.token });
  } finally {
    if (permit.isHeld) permits.release(reply);
  }
  if (permission.kind !== 'permitted') return permission;
  if (reply === null) return UNSENT;
  return weigh(sending, context, {
    verdict: context.service.judge(sending.request.call, reply),
    reply,
    intent,
    token: permission.token,
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

/** The intent is recorded, with a permit in hand; or why it may not go. */
async function permitted(
  intent: Intent,
  sending: Sending,
  { context, permit }: { readonly context: RunContext; readonly permit: Permit },
): Promise<Permission> {
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
    // A permit that is held meanwhile could be the one that the row needs which is to probe whether the service is back.
    context.permits.release(null);
    permit.isHeld = false;
    if (!(await waitForService(granted, context))) return UNSENT;
    permit.isHeld = await context.permits.take(true);
    if (!permit.isHeld) return UNSENT;
  }
}

const UNAUTHORIZED = 401;
/** Codes that say no more than the sentence beside them; those of undici and Node are what a person searches for. */
const OUR_CODES = 'ONBOARD_';

type Answered = {
  readonly verdict: Verdict;
  readonly reply: Reply;
  readonly intent: Intent;
  readonly token: string;
};

/** What an attempt's verdict makes of the row's sending: told to the breaker, and its intent withdrawn where nothing was received. */
export async function weigh(sending: Sending, context: RunContext, answered: Answered): Promise<Tried> {
  const { verdict, reply, intent } = answered;
  const { ms } = reply;
  switch (verdict.kind) {
    case 'accepted':
    case 'refused':
      context.breaker.succeeded(ms);
      return { kind: 'final', verdict, ms };
    case 'unknown':
      await context.breaker.failed({ ...failureOf(verdict, reply), mark: intent.mark, afterMs: null });
      // Whatever the user chose: a record that was accepted would be made twice for certain.
      if (context.definition.onUnknownOutcome === 'hold' || verdict.givenId !== undefined) {
        await pauseIfAway(context);
        return { kind: 'final', verdict, ms };
      }
      sending.everUnknown = true;
      // The intent stays: should this process die now, the row is not free.
      return { kind: 'again', verdict: { ...verdict, kind: 'retry', afterMs: null } };
    case 'retry':
      await context.breaker.failed({
        ...failureOf(verdict, reply),
        mark: intent.mark,
        afterMs: verdict.afterMs,
      });
      // An update that may have been carried out is not unsent: its intent says so until another attempt has its answer.
      if (!mayHaveChanged(sending, reply)) await withdrawUnlessUnknown(sending, context, intent);
      if (verdict.afterMs !== null) sending.throttled += 1;
      return { kind: 'again', verdict };
    case 'stop':
      return stopOrRefresh(sending, context, answered);
    default:
      return verdict satisfies never;
  }
}

/** Of creates whose answers are lost none is tried again, where this is asked otherwise: each probe would leave another in doubt. */
async function pauseIfAway({ breaker, definition, pause }: RunContext): Promise<void> {
  if (breaker.awayFor() >= awayMsOf(definition)) await pause('service-away');
}

function failureOf({ status, message }: Extract<Verdict, { kind: 'unknown' | 'retry' }>, reply: Reply) {
  const isOurs = reply.kind === 'response' || reply.code.startsWith(OUR_CODES);
  return { status, cause: isOurs ? message : message.replace(/\.$/, ` (${reply.code}).`) };
}

/** Whether the request changes something at the service, and may have done so whatever its reply. */
function mayHaveChanged({ request }: Sending, reply: Reply): boolean {
  return request.call === 'subclient.update' && mayHaveArrived(reply);
}

/** Not where it is proven that nothing was sent, and not where a definite answer says that it was not carried out. */
function mayHaveArrived(reply: Reply): boolean {
  if (reply.kind === 'no-response') return reply.sent;
  return reply.kind === 'unreadable' || (reply.status >= 500 && reply.retryAfterMs === null);
}

/** The row is as before, but for one that an earlier attempt may have made. */
async function withdrawUnlessUnknown(sending: Sending, context: RunContext, intent: Intent): Promise<void> {
  if (sending.everUnknown) return;
  await withdrawIntents([intent], context);
  sending.expected = '';
}

/** 401: a fresh token, once; then the run pauses and the row is unsent (DESIGN.md, section 5). */
async function stopOrRefresh(sending: Sending, context: RunContext, answered: Answered): Promise<Tried> {
  // A refused token is an answer: should this have been the probe, the service is there.
  const { mark } = answered.intent;
  await context.breaker.failed({ mark, status: UNAUTHORIZED, afterMs: null, cause: '' });
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
