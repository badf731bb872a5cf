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
};

export type SenderLoad = {
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
 * As many rows are ready as go out within that time: longer than Redis and the disk take, short enough that a kill leaves few in doubt.
 * Where fewer than one row goes out within it, none is made ready: a slow service is waited for much longer than Redis.
 */
const AHEAD_MS = 8;
const MOST_AHEAD = 100;
const CONTESTED_READY = 2;
/** The share that the rate seen before has in the rate of now. */
const KEPT = 0.7;
const MOST_AT_ONCE = 200;

export function createSenderPace(now: () => number): SenderPace {
  let perMs = 0;
  let launched = 0;
  let since = now();
  const ahead = () => Math.min(MOST_AHEAD, Math.floor(perMs * AHEAD_MS));
  return {
    launched() {
      launched += 1;
    },
    wanted({ waiting, ready, free, isContested, hasRate }) {
      const target = hasRate ? 0 : Math.max(ahead(), isContested ? CONTESTED_READY : 0);
      const lacking = free + target - ready;
      // In batches: a command for each row that goes out would cost more than all the rest.
      return lacking < Math.min(waiting, (target + 1) / 2) ? 0 : Math.min(lacking, waiting, MOST_AT_ONCE);
    },
    asked() {
      const at = now();
      const ms = Math.max(at - since, 0.1);
      perMs = KEPT * perMs + (1 - KEPT) * (launched / ms);
      launched = 0;
      since = at;
    },
  };
}
