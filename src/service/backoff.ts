/** Short enough for a hiccup, and a fleet of workers spreads over the cap's half minute when an outage ends. */
const BASE_MS = 250;
const CAP_MS = 30_000;

/**
 * How long to wait before the next attempt: exponential with full jitter, 0 to 250 ms after the first attempt,
 * doubling to 0 to 30 s. `attempt` counts the attempts made so far, from 1; `random` gives 0 up to but not including 1.
 */
export function backoffMs(attempt: number, random: () => number): number {
  return Math.floor(random() * Math.min(CAP_MS, BASE_MS * 2 ** (attempt - 1)));
}
