/**
 * Runs as lists show them, and how fast they go: from what is cheap to read of each, since it is
 * asked for every second.
 */
import { basename } from 'node:path';
import { type RunBrief, readBriefs } from '../ledger/brief.ts';
import { createRecentMap } from '../lib/recent.ts';
import { duration } from '../lib/terminal.ts';
import { countSettled } from '../model/outcome.ts';
import { isOver, openRows } from '../model/run.ts';
import type { ShownState } from '../runs/status.ts';
import type { Ledger } from '../session.ts';
import type { RunLine } from '../web/runs.tsx';

/** Of runs of any target, in the order of the ids; those that are gone are left out. */
export async function briefsOf(
  { redis, of }: Pick<Ledger, 'redis' | 'of'>,
  runs: ReadonlyArray<{ readonly run: string; readonly target: string }>,
): Promise<RunBrief[]> {
  const found = await Promise.all(runs.map(({ run, target }) => readBriefs(redis, of(target).keys, [run])));
  return found.flat();
}

/** `state`: how it stands, where somebody has looked who reads its rows. */
export function lineOf(run: RunBrief, now: number, state?: ShownState): RunLine {
  const { id, job, target, rows, outcomes, createdAt, startedAt, finishedAt, reason } = run;
  const end = finishedAt === null || !isOver(run) ? now : Date.parse(finishedAt);
  return {
    id,
    job,
    file: basename(run.file),
    target,
    state: run.state,
    words: state?.words ?? (reason === null ? run.state : `${run.state} (${reason})`),
    rows,
    outcomes,
    createdAt,
    startedAt,
    finishedAt,
    took: startedAt === null ? '' : duration(Math.max(0, (end - Date.parse(startedAt)) / 1000)),
  };
}

export type Pace = { readonly perSecond: number; readonly left: string; readonly paces: readonly number[] };

type Sample = { readonly at: number; readonly settled: number };

const STANDING: Pace = { perSecond: 0, left: '', paces: [] };
const SAMPLE_MS = 1_000;
/** A pace is that of the last so many ms. */
const PACE_MS = 10_000;
/** As many as a small picture has room for. */
const SAMPLES = 61;
const RUNS_KEPT = 50;

/** A run that nobody has looked at before goes as fast as since its start. */
export function createPaces(): (run: RunBrief, now: number) => Pace {
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
