import type { Granted } from '../ledger/intend-rows.ts';
import type { Intent } from '../ledger/intent.ts';
import { passStage } from '../lib/stage.ts';
import type { Reply } from '../model/request.ts';
import type { RunContext } from './run-context.ts';
import { intentOf, maySend, type Sending, type Tried } from './sending.ts';
import { waitWhileRunning } from './still-runs.ts';
import { weigh, withdrawUnlessUnknown } from './weigh-reply.ts';

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
    reply,
    intent,
    token: permit.token,
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
