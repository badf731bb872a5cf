import { type Options, SingleBar } from 'cli-progress';
import { type Io, tell } from '../lib/terminal.ts';
import { OUTCOMES, settledRows } from '../model/outcome.ts';
import type { Run } from '../model/run.ts';
import { createPace, type Pace } from './pace.ts';

/** Shows a run on its way: a bar in a terminal, else a line every few seconds. */
export type Progress = {
  /** `isServiceAway`: rows wait for the service, whatever the pace was. */
  update(run: Run, isServiceAway?: boolean): void;
  stop(): void;
};

const LINE_EVERY_MS = 5_000;

export function createProgress(io: Io, run: Run, now: () => number): Progress {
  const pace = createPace(run, now);
  return io.stderr.isTTY === true ? barProgress(io, run, pace) : lineProgress(io, pace, now);
}

function barProgress(io: Io, run: Run, paceOf: Pace): Progress {
  const options: Options = {
    stream: io.stderr,
    format: ' {bar} {percentage}%  {value}/{total} rows  {pace}  {outcomes}',
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
  const shown = (next: Run, isServiceAway = false) => ({
    pace: paceShown(paceOf(next), isServiceAway),
    outcomes: outcomesOf(next),
  });
  bar.start(run.rows, settledRows(run.outcomes), shown(run));
  return {
    update: (next, isServiceAway) => bar.update(settledRows(next.outcomes), shown(next, isServiceAway)),
    stop: () => bar.stop(),
  };
}

function lineProgress(io: Io, paceOf: Pace, now: () => number): Progress {
  let last = now();
  return {
    update(run, isServiceAway = false) {
      // At each look, since it goes by when rows were settled.
      const pace = paceShown(paceOf(run), isServiceAway);
      if (now() - last < LINE_EVERY_MS) return;
      last = now();
      tell(io, `${settledRows(run.outcomes)} of ${run.rows} rows, ${pace}: ${outcomesOf(run)}`);
    },
    stop: () => undefined,
  };
}

function paceShown(pace: string, isServiceAway: boolean): string {
  return isServiceAway ? 'waiting for the service' : pace;
}

/** The outcomes so far in words: `created 90, rejected 3`. */
export function outcomesOf(run: Pick<Run, 'outcomes'>): string {
  const present = OUTCOMES.flatMap((outcome) => {
    const count = run.outcomes[outcome];
    return count > 0 ? [`${outcome} ${count}`] : [];
  });
  return present.join(', ') || 'no row done yet';
}
