/**
 * The pace of a run with a rate (`send.rate`): its rows go one by one at their times, no faster over all workers together. Times are
 * reserved in the ledger a moment ahead, so that a worker that is killed, or that waits for answers, takes few from the others.
 */
import { AHEAD_MS } from '../ledger/chunk-ledger.js';
import { createWaitingLine } from '../lib/waiting-line.js';
/** A time that was missed by more is lost: a process that stood still would use at once all that it missed. */
const LATE_MS = 60;
/** Workers that find no time ask again no sooner, however little the next one is off. */
const SHORTEST_PAUSE_MS = 10;
/**
 * Times belong to the worker and not to its rows, are reserved a moment ahead, and no more than there are permits in flight for them:
 * a worker that is killed, or that waits for answers, takes none from the others.
 */
export function createRatePace(edges) {
    const line = createWaitingLine();
    const times = createTimes(edges);
    let isServing = false;
    const end = (tell) => {
        for (let next = line.shift(); next !== undefined; next = line.shift())
            tell(next);
    };
    const serve = async () => {
        isServing = true;
        try {
            while (line.length() > 0) {
                const turn = await nextTurn(edges, times, line.length());
                if (turn === 'ends')
                    end((waiting) => waiting.resolve(false));
                if (turn === 'go')
                    line.shift()?.resolve(true);
            }
        }
        catch (error) {
            end((waiting) => waiting.reject(error));
        }
        finally {
            isServing = false;
        }
    };
    return {
        next: (isFirst) => new Promise((resolve, reject) => {
            if (isFirst)
                line.pushFirst({ resolve, reject });
            else
                line.push({ resolve, reject });
            if (!isServing)
                void serve();
        }),
    };
}
/** `go`: a permit is taken, and it is time; `again`: others have had the time. */
async function nextTurn({ permits, pause }, times, rows) {
    if (!(await pause(times.untilNextMs())) || !(await permits.take()))
        return 'ends';
    let turn = 'again';
    try {
        const ms = await times.next(Math.min(rows, 1 + permits.free()));
        if (ms !== null)
            turn = (await pause(ms)) ? 'go' : 'ends';
        return turn;
    }
    finally {
        if (turn !== 'go')
            permits.release();
    }
}
function createTimes({ intervalMs, reserve, now }) {
    let left = 0;
    let due = 0;
    let askAt = 0;
    const passOver = (times) => {
        left -= times;
        due += times * intervalMs;
        // This worker's own next time is not before, and none is given that is farther off.
        if (left === 0)
            askAt = due - AHEAD_MS;
    };
    const passOverMissed = () => {
        const missed = Math.ceil((now() - LATE_MS - due) / intervalMs);
        if (left > 0 && missed > 0)
            passOver(Math.min(left, missed));
    };
    return {
        /** 0 or below: now. */
        untilNextMs() {
            passOverMissed();
            return left > 0 ? 0 : askAt - now();
        },
        /** Milliseconds until the next time, which is used up by that; `null`: there is none for now. */
        async next(wanted) {
            passOverMissed();
            if (left === 0) {
                const { times, inMs } = await reserve(wanted);
                [left, due] = [times, now() + inMs];
                if (times === 0) {
                    askAt = Math.max(due, now() + SHORTEST_PAUSE_MS);
                    return null;
                }
            }
            const ms = due - now();
            passOver(1);
            return ms;
        },
    };
}
//# sourceMappingURL=rate-pace.js.map