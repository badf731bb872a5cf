import { performance } from 'node:perf_hooks';

const LOOK_MS = 20;

/** What a counter did between the watch's start and its stop. */
export type Watched = {
  /** The longest time in which the counter stood still between two of its values. */
  readonly longestStandstillMs: number;
};

/** Watches a counter that only grows. */
export function watchProgress(count: () => number): { stop(): Watched } {
  let seen = count();
  let since: number | null = null;
  let longestStandstillMs = 0;
  const look = () => {
    const now = count();
    if (now === seen) return;
    if (since !== null) longestStandstillMs = Math.max(longestStandstillMs, performance.now() - since);
    seen = now;
    since = performance.now();
  };
  const timer = setInterval(look, LOOK_MS);
  return {
    stop() {
      clearInterval(timer);
      look();
      return { longestStandstillMs };
    },
  };
}

/** Seconds since a moment of `performance.now()`, to the millisecond. */
export function secondsSince(at: number): number {
  return Math.round(performance.now() - at) / 1000;
}
