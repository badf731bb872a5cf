import { type Options, SingleBar } from 'cli-progress';
import { OUTCOMES, settledRows } from '../model/outcome.ts';
import type { Run } from '../model/run.ts';
import { type Io, tell } from './io.ts';

/** Shows a run on its way: a bar in a terminal, else a line every few seconds. */
export type Progress = {
  update(run: Run): void;
  stop(): void;
};

const LINE_EVERY_MS = 5_000;

export function createProgress(io: Io, run: Run, now: () => number): Progress {
  const rate = createRate(run, now);
  return io.stderr.isTTY === true ? barProgress(io, run, rate) : lineProgress(io, rate, now);
}

function barProgress(io: Io, run: Run, rate: Rate): Progress {
  const options: Options = {
    stream: io.stderr,
    format: ' {bar} {percentage}%  {value}/{total} rows  {speed}/s  {left} left  {outcomes}',
    barsize: 20,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
    fps: 5,
    gracefulExit: false,
    linewrap: false,
    emptyOnZero: true,
  };
  const bar = new SingleBar(options);
  bar.start(run.rows, settledRows(run.outcomes), rate(run));
  return {
    update: (next) => bar.update(settledRows(next.outcomes), rate(next)),
    stop: () => bar.stop(),
  };
}

function lineProgress(io: Io, rate: Rate, now: () => number): Progress {
  let last = now();
  return {
    update(run) {
      if (now() - last < LINE_EVERY_MS) return;
      last = now();
      const { speed, left, outcomes } = rate(run);
      tell(io, `${settledRows(run.outcomes)} of ${run.rows} rows, ${speed}/s, ${left} left: ${outcomes}`);
    },
    stop: () => undefined,
  };
}

type Rate = (run: Run) => { readonly speed: string; readonly left: string; readonly outcomes: string };

/** Rows per second since this process took the run up, and the time left at that pace. */
function createRate(first: Run, now: () => number): Rate {
  const startedAt = now();
  const before = settledRows(first.outcomes);
  return (run) => {
    const settled = settledRows(run.outcomes);
    const perSecond = (settled - before) / Math.max((now() - startedAt) / 1000, 0.001);
    const left = perSecond > 0 ? duration((run.rows - settled) / perSecond) : '?';
    return { speed: String(Math.round(perSecond)), left, outcomes: outcomesOf(run) };
  };
}

/** The outcomes so far in words: `created 90, rejected 3`. */
export function outcomesOf(run: Pick<Run, 'outcomes'>): string {
  const present = OUTCOMES.flatMap((outcome) => {
    const count = run.outcomes[outcome];
    return count > 0 ? [`${outcome} ${count}`] : [];
  });
  return present.join(', ') || 'no row done yet';
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}
