/**
 * Later attempts of a request, which p-retry owns and the sender makes. A row is given up only when
 * its attempts are used up while other rows get through; when none gets through for too long, the
 * service is away and the run pauses: an outage costs time, not rows. So does a limit, unless it
 * turns one row away again and again that has nothing left to wait for.
 */

import pRetry from 'p-retry';
import { acceptedRows } from '../model/outcome.ts';
import { pendingRows } from '../model/run.ts';
import { gaveUp, isLimit, type Retry } from './row-task.ts';
import type { RunContext } from './run-context.ts';
import type { Sending } from './sending.ts';
import type { ServiceBreaker } from './service-breaker.ts';
import { waitWhileRunning } from './still-runs.ts';
import { type Effects, UNSENT } from './transitions.ts';

type Tries = {
  readonly made: number;
  /** Those of `made` for which the service named a time to come back. */
  readonly throttled: number;
  /** Start of the first attempt, ms. */
  readonly startedAt: number;
  /** Start of the attempt before the latest, ms; of the only one where there is one. */
  readonly previousAt: number;
  /** Limits in a row that turned this row away, and rows that were accepted meanwhile. */
  readonly alone: number;
  readonly othersAccepted: number;
  /** The run's other rows are over, and enough of them were accepted. */
  readonly isLast: boolean;
};

/** So many rows that were accepted show that a row is turned away for what it is. */
const OTHERS_ACCEPTED = 20;

/** The only error that makes p-retry continue. */
class TryAgain extends Error {
  override readonly name = 'TryAgain';
  readonly verdict: Retry;
  constructor(verdict: Retry) {
    super(verdict.message);
    this.verdict = verdict;
  }
}

/**
 * Repeats a request after its first attempt as often as that is safe and sensible. An attempt
 * answers why another is needed, or `null`: the request came to its end.
 */
export async function tryAgain(
  sending: Sending,
  first: Retry,
  attempt: () => Promise<Retry | null>,
): Promise<Effects | null> {
  const { context } = sending.take;
  const { breaker, service } = context;
  const { attempts } = context.definition.send;
  const startedAt = sending.sentAt;
  let previousAt = startedAt;
  let last = UNSENT;
  const waitForNext = async (verdict: Retry) => {
    const awayMs = breaker.patienceMs();
    const policy = { attempts, awayMs, backoffMs: service.backoffMs, breaker };
    const { made, throttled, alone } = sending;
    const othersAccepted = breaker.passage().accepted - sending.since.accepted;
    if (verdict.otherwise !== undefined) sending.acceptedInRun = (await acceptedInRun(context)) ?? -1;
    const mayBeLast = breaker.awayFor() >= awayMs || alone >= LIMITS_IN_A_ROW;
    const isLast = mayBeLast && (await isLastOpen(sending));
    const tries = { made, throttled, startedAt, previousAt, alone, othersAccepted, isLast };
    const next = nextTry(tries, verdict, policy);
    if (typeof next === 'number') return waitWhileRunning(next, context);
    last = next;
    return false;
  };
  const attemptNext = () => {
    previousAt = sending.sentAt;
    return attempt();
  };
  try {
    await pRetry(
      async (n) => {
        // The first attempt was made before: a call of p-retry costs every row some microseconds.
        const verdict = n === 1 ? first : await attemptNext();
        if (verdict !== null) throw new TryAgain(verdict);
      },
      {
        retries: Number.POSITIVE_INFINITY,
        minTimeout: 0,
        shouldRetry: ({ error }) => error instanceof TryAgain && waitForNext(error.verdict),
      },
    );
    return null;
  } catch (error) {
    if (error instanceof TryAgain) return last;
    throw error;
  }
}

async function isLastOpen({ task, take }: Sending): Promise<boolean> {
  const run = await take.context.latest();
  if (run === null || pendingRows(run) > 1 + task.members.length) return false;
  return acceptedRows(run.outcomes) >= OTHERS_ACCEPTED;
}

/** Over all workers; `null`: the ledger does not say. */
export async function acceptedInRun({ latest }: RunContext): Promise<number | null> {
  const run = await latest();
  return run === null ? null : acceptedRows(run.outcomes);
}

/** An answer with a time to come back uses up no attempt, but only so many are waited for. */
const ALL_ATTEMPTS_FACTOR = 10;

/** `Retry-After: 0` must not make a tight loop. */
const SHORTEST_WAIT_MS = 50;

type Policy = {
  readonly attempts: number;
  readonly awayMs: number;
  readonly backoffMs: (attempt: number) => number;
  readonly breaker: Pick<ServiceBreaker, 'awayFor' | 'answeredSince' | 'getsThroughSince'>;
};

const AWAY: Effects = [{ kind: 'pause', reason: 'service-away' }, ...UNSENT];
const HOLD: Effects = [{ kind: 'pause', reason: 'service-hold' }, ...UNSENT];

/** Ms to the next attempt, or what becomes of the request without one. */
export function nextTry(tries: Tries, verdict: Retry, policy: Policy): number | Effects {
  const { attempts, awayMs, breaker } = policy;
  const patienceLeft = awayMs - breaker.awayFor();
  const isPatienceOver = patienceLeft <= 0;
  if (neverGetsThrough(tries, verdict, attempts, isPatienceOver)) return giveUp(verdict, tries);
  if (isPatienceOver) return AWAY;
  // The service asked for a longer wait than the run's patience.
  if ((verdict.afterMs ?? 0) > awayMs) return HOLD;
  const isOver = isUsedUp(tries, verdict, attempts) && othersGetThrough(tries, verdict, breaker);
  if (isOver) return giveUp(verdict, tries);

  const waitMs = namedWait(verdict) ?? Math.min(backoffOf(tries, verdict, policy), patienceLeft);
  return Math.max(waitMs, SHORTEST_WAIT_MS);
}

function giveUp(verdict: Retry, { made }: Tries): Effects {
  return [{ kind: 'settle', end: gaveUp(verdict, made) }];
}

function isUsedUp({ made, throttled }: Tries, verdict: Retry, attempts: number): boolean {
  if (isLimit(verdict)) return false;
  return made - throttled >= attempts || made >= attempts * ALL_ATTEMPTS_FACTOR;
}

/** What the service asked for; a limit that is over at once names no time. */
function namedWait(verdict: Retry): number | null {
  return isLimit(verdict) && verdict.afterMs === 0 ? null : verdict.afterMs;
}

function backoffOf({ made, throttled }: Tries, verdict: Retry, { backoffMs }: Policy): number {
  return backoffMs(isLimit(verdict) ? made : made - throttled);
}

/** Limits in a row that turn a row away: bad luck, or a wrong time, brings fewer. */
const LIMITS_IN_A_ROW = 20;

/**
 * Others get through and this row alone doesn't; or it is the last one, for as long as the run
 * waits. A service that can't be reached says nothing of a row.
 */
function neverGetsThrough(
  { alone, othersAccepted, isLast }: Tries,
  verdict: Retry,
  attempts: number,
  isPatienceOver: boolean,
): boolean {
  if (UNCONNECTED.has(verdict.code)) return false;
  const isRefusedAlone = alone >= (isLimit(verdict) ? LIMITS_IN_A_ROW : attempts);
  if (isLast && (isPatienceOver || (isRefusedAlone && isLimit(verdict)))) return true;
  const othersPass = othersAccepted >= OTHERS_ACCEPTED;
  return othersPass && (isRefusedAlone || isPatienceOver) && alone > 0;
}

/**
 * Without a connection nothing is known of this row, and a service that shuts down still answers
 * what it has. So other rows have to get through since the row's previous attempt: a row first
 * tried in a service's last moment probes through its whole outage.
 */
const UNCONNECTED: ReadonlySet<string> = new Set([
  'connection_refused',
  'name_not_found',
  'host_unreachable',
  'connect_timeout',
  'tls_failed',
  'handshake_refused',
  'http2_only',
  'proxy_failed',
]);

function othersGetThrough(
  { startedAt, previousAt }: Tries,
  { code }: Retry,
  breaker: Policy['breaker'],
): boolean {
  if (UNCONNECTED.has(code)) return breaker.getsThroughSince(previousAt);
  return breaker.answeredSince(startedAt);
}
