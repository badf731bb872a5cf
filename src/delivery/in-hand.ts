/**
 * What a run's sender (sender.ts) has in hand, and how each effect of transitions.ts changes it.
 */

import { tryAgain } from './retry.ts';
import type { Retry } from './row-task.ts';
import type { RunContext } from './run-context.ts';
import { endSending, failSending, isFreeWithout, notSent, type Sending } from './sending.ts';
import { createSettling, type Settling, sentRows, withdrawIntents } from './settle-rows.ts';
import { afterToken, afterTries, type Effect, UNSENT, type Wait } from './transitions.ts';

export type InHand = {
  readonly context: RunContext;
  readonly waiting: Sending[];
  /** With a granted intent. */
  readonly ready: Sending[];
  readonly settling: Settling;
  readonly goOn: () => void;
  /** Requests that wait until the ledger's whole answer is read, and their longest wait. */
  barred: Sending[];
  wait: Wait | null;
  /** Answers in work that may mean trouble for all rows: meanwhile no other row asks to go. */
  troubles: number;
  /** Number of such answers: a grant asked for before one and given after it is void. */
  alarms: number;
};

export function createInHand(context: RunContext, goOn: () => void): InHand {
  return {
    context,
    goOn,
    waiting: [],
    ready: [],
    settling: createSettling(context),
    barred: [],
    wait: null,
    troubles: 0,
    alarms: 0,
  };
}

/** Carries effects out in order, at once while none takes time. Never rejects. */
export async function apply(hand: InHand, sending: Sending, effects: readonly Effect[]): Promise<void> {
  let recalled: Promise<void> | null = null;
  try {
    for (const effect of effects) {
      if (effect.kind === 'recall') recalled = alarm(hand);
      else {
        const work = carryOut(hand, sending, effect);
        if (work !== null) await work;
      }
    }
  } catch (error) {
    failSending(sending, error);
  }
  if (recalled === null) return;
  await recalled;
  hand.troubles -= 1;
  hand.goOn();
}

/**
 * The answer may mean a hold, an open breaker or a paused run: requests that have not gone ask
 * again once that is known.
 */
function alarm(hand: InHand): Promise<void> {
  hand.troubles += 1;
  hand.alarms += 1;
  hand.settling.flush();
  return recall(hand);
}

/** `null`: done. */
function carryOut(
  hand: InHand,
  sending: Sending,
  effect: Exclude<Effect, { kind: 'recall' }>,
): Promise<unknown> | null {
  const { context, ready, barred, settling } = hand;
  switch (effect.kind) {
    case 'settle':
      settling.settle(sending, sentRows(sending, effect.end));
      return null;
    case 'unsent':
      endSending(sending, 'unsent');
      return null;
    case 'ready':
      if (effect.isFirst) ready.unshift(sending);
      else ready.push(sending);
      return null;
    case 'wait':
      if (hand.wait === null || effect.wait.ms > hand.wait.ms) hand.wait = effect.wait;
      barred.push(sending);
      return null;
    case 'alone':
      sending.isInOrder = false;
      barred.push(sending);
      return null;
    case 'halt':
      endWaiting(hand);
      return null;
    case 'again':
      again(hand, sending, effect);
      return null;
    case 'tell':
      return context.breaker.failed({ ...effect.failure, mark: sending.mark });
    case 'withdraw':
      return withdraw(sending, context);
    case 'pause':
      if (effect.problem !== undefined)
        context.onTrouble(`the ${effect.reason} could not be written`, new Error(effect.problem));
      return context.pause(effect.reason);
    case 'pause-if-away':
      return context.breaker.awayFor() < context.breaker.patienceMs() ? null : context.pause('service-away');
    case 'refresh':
      return refresh(hand, sending);
    default:
      return effect satisfies never;
  }
}

async function withdraw(sending: Sending, context: RunContext): Promise<void> {
  await withdrawIntents([sending], context);
  sending.mark = '';
}

async function refresh(hand: InHand, sending: Sending): Promise<void> {
  const fresh = sending.refreshed ? null : await hand.context.service.freshToken(sending.token);
  await apply(hand, sending, afterToken(fresh !== null));
}

/** Another attempt is safe; p-retry decides whether it is made. */
function again(
  hand: InHand,
  sending: Sending,
  { verdict, because }: Extract<Effect, { kind: 'again' }>,
): void {
  const tell = sending.again;
  sending.again = null;
  sending.state = 'waiting';
  if (because === 'refreshed') sending.refreshed = true;
  if (because === 'refreshed' || because === 'throttled') sending.throttled += 1;
  if (tell === null) void tryLater(hand, sending, verdict);
  else tell(verdict);
}

async function tryLater(hand: InHand, sending: Sending, verdict: Retry): Promise<void> {
  // Ahead of the run's other requests.
  const attempt = () =>
    new Promise<Retry | null>((resolve) => {
      sending.again = resolve;
      hand.waiting.unshift(sending);
      hand.goOn();
    });
  try {
    const last = await tryAgain(sending, verdict, attempt);
    if (last !== null) await apply(hand, sending, afterTries(last, sending));
  } catch (error) {
    failSending(sending, error);
  }
}

/** Requests that have not gone ask again, and come first. */
export async function recall(hand: InHand): Promise<void> {
  const { ready, waiting, context } = hand;
  const sendings = ready.splice(0);
  const free = sendings.filter(isFreeWithout);
  try {
    await withdrawIntents(free, context);
  } catch (error) {
    for (const sending of free) failSending(sending, error);
  }
  for (const sending of sendings.reverse()) {
    if (sending.state !== 'intended') continue;
    notSent(sending, isFreeWithout(sending) ? '' : sending.mark);
    waiting.unshift(sending);
  }
  hand.goOn();
}

export function endWaiting(hand: InHand): void {
  const { waiting } = hand;
  for (const sending of waiting.splice(0)) void apply(hand, sending, UNSENT);
}
