/**
 * Speaks to the terminal while a run is followed: a bar in a terminal, else a line every few seconds, with the pace
 * and what is left at that pace. A pace is measured since this process took the run up, and begins anew after each
 * standstill.
 */
import { SingleBar } from 'cli-progress';
import { tell } from '../lib/terminal.js';
import { countSettled, OUTCOMES } from '../model/outcome.js';
const LINE_EVERY_MS = 5_000;
export function createProgress(io, run, now) {
    const pace = createPace(run, now);
    return io.stderr.isTTY === true ? barProgress(io, run, pace) : lineProgress(io, pace, now);
}
function barProgress(io, run, paceOf) {
    const options = {
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
    const shown = (next, isServiceAway = false) => ({
        pace: paceShown(paceOf(next), isServiceAway),
        outcomes: outcomesOf(next),
    });
    bar.start(run.rows, countSettled(run.outcomes), shown(run));
    return {
        update: (next, isServiceAway) => bar.update(countSettled(next.outcomes), shown(next, isServiceAway)),
        stop: () => bar.stop(),
    };
}
function lineProgress(io, paceOf, now) {
    let last = now();
    return {
        update(run, isServiceAway = false) {
            // Measured at each look, also where no line is due: the pace goes by the moments at which rows were settled.
            const pace = paceShown(paceOf(run), isServiceAway);
            if (now() - last < LINE_EVERY_MS)
                return;
            last = now();
            tell(io, `${countSettled(run.outcomes)} of ${run.rows} rows, ${pace}: ${outcomesOf(run)}`);
        },
        stop: () => undefined,
    };
}
function paceShown(pace, isServiceAway) {
    return isServiceAway ? 'waiting for the service' : pace;
}
/** The outcomes so far in words: `created 90, rejected 3`. */
export function outcomesOf(run) {
    const present = OUTCOMES.flatMap((outcome) => {
        const count = run.outcomes[outcome];
        return count > 0 ? [`${outcome} ${count}`] : [];
    });
    return present.join(', ') || 'no row done yet';
}
/** A standstill is this long without a row, and also this many times the usual time between rows, which may come seldom. */
const STILL_MS = 10_000;
const STILL_FACTOR = 5;
const WAITING = 'waiting';
/** Measures anew after each standstill, which says nothing of how fast rows go when they do. */
export function createPace(first, now) {
    let from = { at: now(), settled: countSettled(first.outcomes) };
    let moved = from;
    let standstillMs = 0;
    return ({ rows, outcomes }) => {
        const here = { at: now(), settled: countSettled(outcomes) };
        const silentMs = here.at - moved.at;
        const isStill = silentMs > stillAfterMs(from, moved, standstillMs);
        if (here.settled !== moved.settled) {
            if (isStill)
                [from, standstillMs] = [here, silentMs];
            moved = here;
        }
        else if (isStill)
            return WAITING;
        return wordsOf(from, here, rows);
    };
}
/** With one row since the last standstill, that standstill stands for the usual time between rows. */
function stillAfterMs(from, moved, standstillMs) {
    const rows = moved.settled - from.settled;
    return Math.max(STILL_MS, STILL_FACTOR * (rows > 0 ? (moved.at - from.at) / rows : standstillMs));
}
function wordsOf(from, { at, settled }, rows) {
    const perSecond = (settled - from.settled) / Math.max((at - from.at) / 1000, 0.001);
    const left = perSecond > 0 ? duration((rows - settled) / perSecond) : '?';
    return `${Math.round(perSecond)}/s, ${left} left`;
}
function duration(seconds) {
    const whole = Math.ceil(seconds);
    if (whole < 60)
        return `${whole} s`;
    if (whole < 3600)
        return `${Math.floor(whole / 60)} min ${whole % 60} s`;
    return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}
//# sourceMappingURL=progress.js.map