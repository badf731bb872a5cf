/**
 * Shows how a followed run gets on: a status line with a bar in a terminal, else a line every few
 * seconds, with the rate of the last half minute and the time left at that. And how far any step
 * has got that takes its time, in a terminal alone.
 */
import { onSteps } from '../lib/steps.ts';
import {
  duration,
  type Io,
  numberShown,
  shorten,
  showStatus,
  statusShown,
  tell,
  windowOf,
} from '../lib/terminal.ts';
import { countSettled, OUTCOMES, outcomeSign, REMAINDER } from '../model/outcome.ts';
import type { Run } from '../model/run.ts';

const LINE_EVERY_MS = 5_000;
/** Often enough for the eye, and seldom enough to be read. */
const DRAWN_EVERY_MS = 200;

export function createProgress(io: Io, first: Run, now: () => number) {
  const paceOf = createPace(first, now);
  const isTerminal = io.stderr.isTTY === true;
  const everyMs = isTerminal ? DRAWN_EVERY_MS : LINE_EVERY_MS;
  let shownAt = isTerminal ? Number.NEGATIVE_INFINITY : now();
  /** `isServiceAway`: rows wait for the service, whatever the rate was. */
  const update = (run: Run, isServiceAway = false) => {
    // At each look, also where nothing is shown: the rate depends on when rows were settled.
    const rate = paceOf(run);
    if (now() - shownAt < everyMs) return;
    shownAt = now();
    const pace = isServiceAway ? 'waiting for the service' : rate;
    if (isTerminal) showStatus(io, statusLine(run, pace, windowOf(io.stderr)));
    else tell(io, `${countSettled(run.outcomes)} of ${run.rows} rows, ${pace}: ${outcomesOf(run)}`);
  };
  if (isTerminal) update(first);
  return { update, stop: () => showStatus(io, null) };
}

/** Of runs that are looked at again and again: each with its pace since it was first met. */
export function createBars({ stdout }: Pick<Io, 'stdout'>, now: () => number) {
  const paces = new Map<string, Pace>();
  return (run: Run): string => {
    const paceOf = paces.get(run.id) ?? createPace(run, now);
    paces.set(run.id, paceOf);
    const columns = windowOf(stdout);
    return shorten(statusLine(run, paceOf(run), columns), columns - INDENT);
  };
}

const INDENT = 4;

/** What is done by then needs no bar. */
const STEPS_FROM_MS = 1_000;

/** Until the command that it answers is carried out. A line that somebody else shows stays. */
export function showSteps(io: Io, now: () => number): () => void {
  if (io.stderr.isTTY !== true) return () => undefined;
  let due: number | null = null;
  let own: string | null = null;
  const show = (line: string | null) => {
    const isOthers = statusShown(io) !== own;
    own = isOthers ? null : line;
    if (!isOthers) showStatus(io, line);
  };
  const end = onSteps(({ doing, done, all }) => {
    due ??= now() + STEPS_FROM_MS;
    if (done >= all) return show(null);
    if (now() < due) return;
    due = now() + DRAWN_EVERY_MS;
    show(`${barOf(done / all, windowOf(io.stderr))}  ${doing}`);
  });
  return () => {
    end();
    show(null);
  };
}

const NARROW_COLUMNS = 100;

function barOf(share: number, columns: number): string {
  const cells = columns < NARROW_COLUMNS ? 10 : 20;
  const full = Math.floor(share * cells);
  const percent = `${Math.floor(share * 100)}%`.padStart(4);
  return '█'.repeat(full) + '░'.repeat(cells - full) + percent;
}

/** What went wrong comes first: a narrow window cuts the end of the line off. */
function statusLine(
  { rows, outcomes }: Pick<Run, 'rows' | 'outcomes'>,
  pace: string,
  columns: number,
): string {
  const settled = countSettled(outcomes);
  const bar = barOf(rows === 0 ? 0 : settled / rows, columns);
  const wrong = OUTCOMES.filter((outcome) => REMAINDER[outcome] !== 'none').reverse();
  const right = OUTCOMES.filter((outcome) => REMAINDER[outcome] === 'none');
  const counts = [...wrong, ...right].flatMap((outcome) =>
    outcomes[outcome] > 0 ? [`${outcomeSign(outcome)} ${outcome} ${numberShown(outcomes[outcome])}`] : [],
  );
  return [bar, `${numberShown(settled)}/${numberShown(rows)}`, ...counts, pace].join('  ');
}

/** `created 90, rejected 3`. */
export function outcomesOf(run: Pick<Run, 'outcomes'>): string {
  const present = OUTCOMES.flatMap((outcome) => {
    const count = run.outcomes[outcome];
    return count > 0 ? [`${outcome} ${count}`] : [];
  });
  return present.join(', ') || 'no row done yet';
}

/** `20/s, 45 s left`; or that it waits. */
type Pace = (run: Pick<Run, 'rows' | 'outcomes'>) => string;

const WINDOW_MS = 30_000;
const POINT_EVERY_MS = 1_000;

type Point = { readonly at: number; readonly settled: number };

export function createPace(first: Parameters<Pace>[0], now: () => number): Pace {
  const points: Point[] = [{ at: now(), settled: countSettled(first.outcomes) }];
  return ({ rows, outcomes }) => {
    const here = { at: now(), settled: countSettled(outcomes) };
    // The first one that is kept is where the half minute began, or the run was taken up.
    while (points[1] !== undefined && here.at - points[1].at >= WINDOW_MS) points.shift();
    const [from = here] = points;
    if (here.at - (points.at(-1) ?? here).at >= POINT_EVERY_MS) points.push(here);
    const isStill = here.settled === from.settled && here.at - from.at >= WINDOW_MS;
    return isStill ? 'waiting' : wordsOf(from, here, rows);
  };
}

function wordsOf(from: Point, { at, settled }: Point, rows: number): string {
  const perSecond = (settled - from.settled) / Math.max((at - from.at) / 1000, 0.001);
  const left = perSecond > 0 ? duration((rows - settled) / perSecond) : '?';
  return `${Math.round(perSecond)}/s, ${left} left`;
}
