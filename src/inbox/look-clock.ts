/** When to look at what: at folders, at runs that wait for somebody, and rarely at the rest. */
type LookClock = {
  isLookDue(): boolean;
  /** A look at the folders is wanted as soon as it is not too much. */
  lookSoon(): void;
  /** Whether one is wanted that has not begun. */
  isLookWanted(): boolean;
  lookBegins(): void;
  /** `nextMs`: until something may be found, `null` where nothing is expected. */
  lookEnds(nextMs: number | null): void;
  /** True once per interval. */
  isDue(what: 'runs' | 'rare'): boolean;
  /** Until something is due, milliseconds. */
  leftMs(): number;
};

/** With many files in the folders a look takes a while: it gets a fifth of the time at most. */
const CALM_FACTOR = 4;
const CALM_MS = 50;
const RUNS_MS = 1_000;

export function createLookClock(pollMs: number, now: () => number): LookClock {
  let begun = 0;
  let earliest = now();
  let next = now();
  let wanted = true;
  const every = { runs: RUNS_MS, rare: Math.max(RUNS_MS, pollMs) };
  const last = { runs: now(), rare: Number.NEGATIVE_INFINITY };
  return {
    isLookDue: () => now() >= next,
    lookSoon() {
      wanted = true;
      next = Math.min(next, earliest);
    },
    isLookWanted: () => wanted,
    lookBegins() {
      begun = now();
      wanted = false;
    },
    lookEnds(nextMs) {
      const took = now() - begun;
      earliest = now() + Math.max(CALM_MS, CALM_FACTOR * took);
      next = wanted ? earliest : Math.max(earliest, now() + Math.min(pollMs, nextMs ?? pollMs));
    },
    isDue(what) {
      if (now() - last[what] < every[what]) return false;
      last[what] = now();
      return true;
    },
    leftMs: () => Math.max(0, Math.min(next, last.runs + every.runs) - now()),
  };
}
