/**
 * The permits of a process for one service: how many requests may be in flight, shared by its runs. Where not all can be served, a permit
 * that comes free goes to the run that has had the least for its weight (start-time fair queueing), so that a new run has its next one at
 * once, and within a run to the row that has waited longest. A new run's first row waits half a second at most.
 */
import { createWaitingLine } from '../lib/waiting-line.js';
/** Permits come free no more often than answers come, and a service may take long for each: a new run's first row waits no longer. */
const FIRST_WITHIN_MS = 500;
export function createFairPermits({ limit, firstWithinMs = FIRST_WITHIN_MS, }) {
    const runs = new Set();
    let taken = 0;
    let ceiling = 1;
    /** The virtual time: the start of what was given last. */
    let clock = 0;
    const isFull = () => taken >= limit(ceiling);
    const take = (run) => {
        clock = Math.max(clock, run.due);
        run.due = clock + 1 / run.weight;
        run.taken += 1;
        taken += 1;
    };
    const grant = () => {
        while (!isFull()) {
            const next = nextOf(runs);
            if (next === null)
                return;
            take(next);
            next.waiting.shift()?.(true);
        }
    };
    const measure = () => {
        ceiling = Math.max(1, ...[...runs].map((run) => run.ceiling));
    };
    return {
        taken: () => taken,
        isFull,
        ceiling: () => ceiling,
        join(terms) {
            const run = { ...terms, taken: 0, due: 0, waiting: createWaitingLine() };
            runs.add(run);
            measure();
            const goFirst = () => {
                if (run.due > 0 || run.waiting.length() === 0)
                    return;
                take(run);
                run.waiting.shift()?.(true);
            };
            let first;
            const giveUp = () => {
                clearTimeout(first);
                for (let next = run.waiting.shift(); next !== undefined; next = run.waiting.shift())
                    next(false);
            };
            return {
                taken: () => run.taken,
                free: () => Math.max(0, Math.min(run.ceiling - run.taken, limit(ceiling) - taken)),
                giveUp,
                tryTake() {
                    if (run.taken >= run.ceiling || isFull())
                        return false;
                    take(run);
                    return true;
                },
                wait(granted, isFirst) {
                    if (!runs.has(run))
                        return granted(false);
                    if (isFirst)
                        run.waiting.pushFirst(granted);
                    else
                        run.waiting.push(granted);
                    if (run.due === 0)
                        first ??= setTimeout(goFirst, firstWithinMs).unref();
                    grant();
                },
                release() {
                    run.taken -= 1;
                    taken -= 1;
                    grant();
                },
                leave() {
                    giveUp();
                    runs.delete(run);
                    measure();
                },
            };
        },
    };
}
/** Of the runs that wait below their ceilings, the one that is to be served next. */
function nextOf(runs) {
    let next = null;
    for (const run of runs) {
        if (run.taken >= run.ceiling || run.waiting.length() === 0)
            continue;
        if (next === null || run.due < next.due)
            next = run;
    }
    return next;
}
//# sourceMappingURL=fair-permits.js.map