import { settledRows } from '../model/outcome.ts';
import type { Run } from '../model/run.ts';

/** How fast a run gets on and how long it will take at that, in words: `20/s, 45 s left`; or that it waits. */
export type Pace = (run: Pick<Run, 'rows' | 'outcomes'>) => string;

/** Rows that come seldom are no standstill: it takes this long, and as many times their usual distance. */
const STILL_MS = 10_000;
const STILL_FACTOR = 5;
const WAITING = 'waiting';

type Point = { readonly at: number; readonly settled: number };

/** Measured since this process took the run up, and anew after each standstill: that says nothing of how fast rows go when they do. */
export function createPace(first: Parameters<Pace>[0], now: () => number): Pace {
  let from: Point = { at: now(), settled: settledRows(first.outcomes) };
  let moved = from;
  let standstillMs = 0;
  return ({ rows, outcomes }) => {
    const here: Point = { at: now(), settled: settledRows(outcomes) };
    const silentMs = here.at - moved.at;
    const isStill = silentMs > stillAfterMs(from, moved, standstillMs);
    if (here.settled !== moved.settled) {
      if (isStill) [from, standstillMs] = [here, silentMs];
      moved = here;
    } else if (isStill) return WAITING;
    return wordsOf(from, here, rows);
  };
}

/** As long as only one row is known, what came before it may be the usual distance. */
function stillAfterMs(from: Point, moved: Point, standstillMs: number): number {
  const rows = moved.settled - from.settled;
  return Math.max(STILL_MS, STILL_FACTOR * (rows > 0 ? (moved.at - from.at) / rows : standstillMs));
}

function wordsOf(from: Point, { at, settled }: Point, rows: number): string {
  const perSecond = (settled - from.settled) / Math.max((at - from.at) / 1000, 0.001);
  const left = perSecond > 0 ? duration((rows - settled) / perSecond) : '?';
  return `${Math.round(perSecond)}/s, ${left} left`;
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}
