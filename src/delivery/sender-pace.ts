/**
 * When and how many rows are to get their intent, so that some are always ready when a permit comes free: in batches, and no more ahead
 * than go out within a few milliseconds, since a kill leaves those in doubt.
 */

export type SenderPace = {
  /** A row went out. */
  launched(): void;
  /** How many to ask for now; 0: not yet. */
  wanted(line: SenderLoad): number;
  /** Intents are being asked for. */
  asked(): void;
  /** Those have been answered. */
  answered(): void;
};

type SenderLoad = {
  readonly waiting: number;
  /** Rows that have their intent. */
  readonly ready: number;
  /** Permits that the run has in hand or could take. */
  readonly free: number;
  /** The permits are others': one that comes free is only the run's where a row is ready for it. */
  readonly isContested: boolean;
  /** Each request has its turn before its intent. */
  readonly hasRate: boolean;
};

/**
 * As many rows are ready as go out within that time: several times what Redis and the disk take, so that few commands do, and short
 * enough that a kill leaves few in doubt. Where only a few go out within it, none is made ready: a slow service is waited for much
 * longer than Redis.
 */
const AHEAD_MS = 32;
const FEWEST_AHEAD = 4;
const MOST_AHEAD = 100;
const CONTESTED_READY = 2;
/** The next are asked for when so much of the time is left for which rows are ready, in times that an answer took: none is waited for. */
const ANSWERS_LEFT = 2;
/** The share that the answers before have in the time of an answer of now. */
const KEPT = 0.7;
/** So long rows are counted before they are a pace: those that begin a run go out all at once. */
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
  return {
    launched() {
      launched += 1;
    },
    wanted({ waiting, ready, free, isContested, hasRate }) {
      const target = hasRate ? 0 : Math.max(ahead(), isContested ? CONTESTED_READY : 0);
      const lacking = free + target - ready;
      // In batches: a command for each row that goes out would cost more than all the rest.
      const batch = Math.max((target + 1) / 2, target - perMs * answerMs * ANSWERS_LEFT);
      return lacking < Math.min(waiting, batch) ? 0 : Math.min(lacking, waiting, MOST_AT_ONCE);
    },
    asked() {
      askedAt = now();
    },
    answered() {
      answerMs = KEPT * answerMs + (1 - KEPT) * (now() - askedAt);
    },
  };
}
