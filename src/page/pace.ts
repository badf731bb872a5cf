/** How fast runs go, from what was seen of each while somebody looked: asked for every second. */
import { createRecentMap } from '../lib/recent.ts';
import { duration } from '../lib/terminal.ts';
import { countSettled } from '../model/outcome.ts';
import { openRows, type Run } from '../model/run.ts';

/** Rows a second just now and before, oldest first; `left`: in words, '' where it can't be told. */
export type Pace = { readonly perSecond: number; readonly left: string; readonly paces: readonly number[] };

type Moving = Pick<Run, 'id' | 'state' | 'startedAt' | 'rows' | 'outcomes'>;
type Sample = { readonly at: number; readonly settled: number };

const STANDING: Pace = { perSecond: 0, left: '', paces: [] };
const SAMPLE_MS = 1_000;
/** A pace is that of the last so many ms. */
const PACE_MS = 10_000;
/** As many as a small picture has room for. */
const SAMPLES = 61;
const RUNS_KEPT = 50;

/** A run that nobody has looked at before goes as fast as since its start. */
export function createPaces(): (run: Moving, now: number) => Pace {
  const seen = createRecentMap<string, readonly Sample[]>(RUNS_KEPT);
  return (run, now) => {
    if (run.state !== 'running' || run.startedAt === null) return STANDING;
    const here = { at: now, settled: countSettled(run.outcomes) };
    const before = (seen.get(run.id) ?? []).filter(({ at }) => now - at < SAMPLES * SAMPLE_MS);
    const isDue = now - (before.at(-1)?.at ?? 0) >= SAMPLE_MS;
    if (isDue) seen.set(run.id, [...before, here].slice(-SAMPLES));
    const start = { at: Date.parse(run.startedAt), settled: 0 };
    const from = before.findLast(({ at }) => now - at >= PACE_MS) ?? before[0] ?? start;
    const perSecond = rate(from, here);
    return {
      perSecond: Math.round(perSecond),
      left: perSecond > 0 ? duration(openRows(run) / perSecond) : '',
      paces: before.slice(1).map((sample, i) => rate(before[i] ?? sample, sample)),
    };
  };
}

function rate(from: Sample, to: Sample): number {
  return (1000 * Math.max(0, to.settled - from.settled)) / Math.max(1, to.at - from.at);
}
