/** Runs as lists show them, and how fast they go: from what is cheap to read of each, since it is asked for every second. */
import { basename } from 'node:path';
import { type RunBrief, readBriefs } from '../ledger/brief.ts';
import { readPulse } from '../ledger/history.ts';
import { ratesOf, type Sample } from '../model/history.ts';
import { countSettled } from '../model/outcome.ts';
import { isOver, openRows } from '../model/run.ts';
import { duration } from '../runs/progress.ts';
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

const STANDING: Pace = { perSecond: 0, left: '', paces: [] };
/** A pace is that of the last so many ms; a run that has settled nothing for twice as long stands still. */
const PACE_MS = 10_000;

/** How fast a run goes now, from its latest samples. */
export async function paceOf(
  { redis, of }: Pick<Ledger, 'redis' | 'of'>,
  run: RunBrief,
  now: number,
): Promise<Pace> {
  if (run.state !== 'running' || run.startedAt === null) return STANDING;
  const ms = now - Date.parse(run.startedAt);
  const pulse = await readPulse(redis, of(run.target).keys, run.id, ms / 1000);
  const paces = ratesOf(pulse, pulse[0]).map(({ rates }) =>
    rates.reduce((sum, { perSecond }) => sum + perSecond, 0),
  );
  const perSecond = latestPace(pulse, ms);
  const left = perSecond > 0 ? duration(openRows(run) / perSecond) : '';
  return { perSecond: Math.round(perSecond), left, paces };
}

function latestPace(pulse: readonly Sample[], ms: number): number {
  const last = pulse.at(-1);
  if (last === undefined || ms - last.ms > 2 * PACE_MS) return 0;
  const first = pulse.findLast((sample) => last.ms - sample.ms >= PACE_MS) ?? pulse[0] ?? last;
  // Where all began a moment ago, since the start.
  const [from, settled] = first === last ? [0, 0] : [first.ms, countSettled(first.outcomes)];
  return (1000 * (countSettled(last.outcomes) - settled)) / Math.max(1, last.ms - from);
}
