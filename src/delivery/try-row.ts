import type { Intent } from '../ledger/chunk-ledger.ts';
import { intentMark } from '../ledger/mark.ts';
import { sleep } from '../lib/sleep.ts';
import type { ServiceRequest } from '../model/request.ts';
import type { Verdict } from '../model/verdict.ts';
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
  /** The mark that the next intent replaces, `''` for none. */
  expected: string;
  made: number;
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
  | { readonly kind: 'unsent' };

const UNSENT: Tried = { kind: 'unsent' };

/** One attempt: intend, send, judge; the intent is in the ledger before the first byte leaves. */
export async function tryRow(sending: Sending, context: RunContext): Promise<Tried> {
  await waitForRate(context);
  if (!maySend(sending, context)) return UNSENT;
  const token = await context.service.token();
  const intent = intentOf(sending);
  if ((await context.ledger.intend(intent)) !== 'granted') return UNSENT;
  sending.expected = intent.mark;
  // Time has passed since the last look: the chunk may be lost between the intent and the first byte.
  if (!maySend(sending, context)) {
    await withdrawUnlessUnknown(sending, context, intent);
    return UNSENT;
  }
  sending.made += 1;
  const reply = await context.service.attempt(sending.request, token);
  return weigh(sending, context, {
    verdict: context.service.judge(sending.request.call, reply),
    ms: reply.ms,
    intent,
    token,
  });
}

async function waitForRate(context: RunContext): Promise<void> {
  if (context.rateIntervalMicroseconds === null) return;
  const ms = await context.ledger.reserve(context.rateIntervalMicroseconds);
  if (ms > 0) await sleep(ms, context.stopping);
}

function maySend(sending: Sending, context: RunContext): boolean {
  return !context.stopping.aborted && sending.isHeld();
}

function intentOf({ task, taker, made, expected }: Sending): Intent {
  return { chunk: task.chunk, row: task.row.row, mark: intentMark(taker, made + 1), expected };
}

type Answered = {
  readonly verdict: Verdict;
  readonly ms: number;
  readonly intent: Intent;
  readonly token: string;
};

async function weigh(sending: Sending, context: RunContext, answered: Answered): Promise<Tried> {
  const { verdict, ms, intent } = answered;
  switch (verdict.kind) {
    case 'accepted':
    case 'refused':
      context.weather.answered();
      return { kind: 'final', verdict, ms };
    case 'unknown':
      context.weather.stumbled();
      if (context.definition.onUnknownOutcome === 'hold') return { kind: 'final', verdict, ms };
      sending.everUnknown = true;
      // The intent stays: should this process die now, the row is not free.
      return { kind: 'again', verdict: { ...verdict, kind: 'retry', afterMs: null } };
    case 'retry':
      context.weather.stumbled();
      await withdrawUnlessUnknown(sending, context, intent);
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
  await context.ledger.withdraw(intent);
  sending.expected = '';
}

/** 401: a fresh token, once; then the run pauses and the row is unsent (DESIGN.md, section 5). */
async function stopOrRefresh(sending: Sending, context: RunContext, answered: Answered): Promise<Tried> {
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
