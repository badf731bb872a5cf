/**
 * Shows how a followed run gets on: a status line with a bar in a terminal, else a line every few
 * seconds, with the rate and the time left. The rate is measured since this process took the run
 * up, and anew after each standstill.
 */
import { duration, type Io, numberShown, showStatus, tell, windowOf } from '../lib/terminal.ts';
import { countSettled, OUTCOMES, outcomeSign, REMAINDER } from '../model/outcome.ts';
import type { Run } from '../model/run.ts';

export type Progress = {
  /** `isServiceAway`: rows wait for the service, whatever the rate was. */
  update(run: Run, isServiceAway?: boolean): void;
  stop(): void;
};

const LINE_EVERY_MS = 5_000;
/** Often enough for the eye, and seldom enough to be read. */
const DRAWN_EVERY_MS = 200;

export function createProgress(io: Io, run: Run, now: () => number): Progress {
  const pace = createPace(run, now);
  return io.stderr.isTTY === true ? statusProgress(io, run, { pace, now }) : lineProgress(io, pace, now);
}

function statusProgress(
  io: Io,
  first: Run,
  { pace: paceOf, now }: { readonly pace: Pace; readonly now: () => number },
): Progress {
  let drawn = Number.NEGATIVE_INFINITY;
  const update = (run: Run, isServiceAway = false) => {
    const pace = paceShown(paceOf(run), isServiceAway);
    if (now() - drawn < DRAWN_EVERY_MS) return;
    drawn = now();
    showStatus(io, statusLine(run, pace, windowOf(io.stderr)));
  };
  update(first);
  return { update, stop: () => showStatus(io, null) };
}

const NARROW_COLUMNS = 100;

/** What went wrong comes first: a narrow window cuts the end of the line off. */
function statusLine(
  { rows, outcomes }: Pick<Run, 'rows' | 'outcomes'>,
  pace: string,
  columns: number,
): string {
  const settled = countSettled(outcomes);
  const cells = columns < NARROW_COLUMNS ? 10 : 20;
  const share = rows === 0 ? 0 : settled / rows;
  const full = Math.floor(share * cells);
  const bar = '█'.repeat(full) + '░'.repeat(cells - full);
  const percent = `${Math.floor(share * 100)}%`.padStart(4);
  const wrong = OUTCOMES.filter((outcome) => REMAINDER[outcome] !== 'none').reverse();
  const right = OUTCOMES.filter((outcome) => REMAINDER[outcome] === 'none');
  const counts = [...wrong, ...right].flatMap((outcome) =>
    outcomes[outcome] > 0 ? [`${outcomeSign(outcome)} ${outcome} ${numberShown(outcomes[outcome])}`] : [],
  );
  return [`${bar}${percent}`, `${numberShown(settled)}/${numberShown(rows)}`, ...counts, pace].join('  ');
}

function lineProgress(io: Io, paceOf: Pace, now: () => number): Progress {
  let last = now();
  return {
    update(run, isServiceAway = false) {
      // At each look, also without a line: the rate depends on when rows were settled.
      const pace = paceShown(paceOf(run), isServiceAway);
      if (now() - last < LINE_EVERY_MS) return;
      last = now();
      tell(io, `${countSettled(run.outcomes)} of ${run.rows} rows, ${pace}: ${outcomesOf(run)}`);
    },
    stop: () => undefined,
  };
}

function paceShown(pace: string, isServiceAway: boolean): string {
  return isServiceAway ? 'waiting for the service' : pace;
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

/** A standstill lasts this long, and this many times the usual time between rows. */
const STILL_MS = 10_000;
const STILL_FACTOR = 5;
const WAITING = 'waiting';

type Point = { readonly at: number; readonly settled: number };

export function createPace(first: Parameters<Pace>[0], now: () => number): Pace {
  let from: Point = { at: now(), settled: countSettled(first.outcomes) };
  let moved = from;
  let standstillMs = 0;
  return ({ rows, outcomes }) => {
    const here: Point = { at: now(), settled: countSettled(outcomes) };
    const silentMs = here.at - moved.at;
    const isStill = silentMs > stillAfterMs(from, moved, standstillMs);
    if (here.settled !== moved.settled) {
      if (isStill) [from, standstillMs] = [here, silentMs];
      moved = here;
    } else if (isStill) return WAITING;
    return wordsOf(from, here, rows);
  };
}

/** With a single row since it, the last standstill is the usual time between rows. */
function stillAfterMs(from: Point, moved: Point, standstillMs: number): number {
  const rows = moved.settled - from.settled;
  return Math.max(STILL_MS, STILL_FACTOR * (rows > 0 ? (moved.at - from.at) / rows : standstillMs));
}

function wordsOf(from: Point, { at, settled }: Point, rows: number): string {
  const perSecond = (settled - from.settled) / Math.max((at - from.at) / 1000, 0.001);
  const left = perSecond > 0 ? duration((rows - settled) / perSecond) : '?';
  return `${Math.round(perSecond)}/s, ${left} left`;
}
