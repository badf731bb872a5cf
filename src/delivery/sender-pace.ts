/**
 * When to ask for how many intents, so that some rows are ready when a permit comes free. Few are
 * made ready at once: a kill leaves them in doubt.
 */

export type SenderPace = {
  launched(): void;
  /** How many intents to ask for; 0: not yet. */
  wanted(line: SenderLoad): number;
  asked(): void;
  answered(): void;
};

type SenderLoad = {
  readonly waiting: number;
  readonly ready: number;
  /** Permits that the run has in hand or could take. */
  readonly free: number;
  /** Others want the permits: the run gets one only for a row that is ready. */
  readonly isContested: boolean;
  /** Each request has its time before its intent. */
  readonly hasRate: boolean;
};

/**
 * Rows that go out within this time are made ready: several times what Redis and the disk take, and
 * so short that a kill leaves few in doubt. At a slow service none is: the service is waited for
 * much longer than Redis.
 */
const AHEAD_MS = 32;
const FEWEST_AHEAD = 4;
const MOST_AHEAD = 100;
const CONTESTED_READY = 2;
/** Asks early enough, in multiples of an answer's time, that no row waits for an answer. */
const ANSWERS_LEFT = 2;
/** Weight of earlier answers in the smoothed answer time. */
const KEPT = 0.7;
/** Rows are counted this long for a pace: a run's first rows go out all at once. */
const COUNTED_MS = 200;
const MOST_AT_ONCE = 200;

export function createSenderPace(now: () => number): SenderPace {
  let launched = 0;
  let since = now();
  let perMs = 0;
  let askedAt = since;
  let answerMs = 0;
  const ahead = () => {
    const ms = now() - since;
    if (ms >= COUNTED_MS) {
      perMs = launched / ms;
      launched = 0;
      since += ms;
    }
    const rows = Math.floor(perMs * AHEAD_MS);
    return rows < FEWEST_AHEAD ? 0 : Math.min(MOST_AHEAD, rows);
  };
  const aim = (isContested: boolean) => Math.max(ahead(), isContested ? CONTESTED_READY : 0);
  return {
    launched() {
      launched += 1;
    },
    wanted({ waiting, ready, free, isContested, hasRate }) {
      const target = hasRate ? 0 : aim(isContested);
      const lacking = free + target - ready;
      // In batches: a command per row would cost more than all the rest.
      const batch = Math.max((target + 1) / 2, target - perMs * answerMs * ANSWERS_LEFT);
      if (lacking < Math.min(waiting, batch)) return 0;
      return Math.min(lacking, waiting, MOST_AT_ONCE);
    },
    asked() {
      askedAt = now();
    },
    answered() {
      answerMs = KEPT * answerMs + (1 - KEPT) * (now() - askedAt);
    },
  };
}
