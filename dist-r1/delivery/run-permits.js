/**
 * One run's requests in flight: a permit is held until the reply is there, and never while a row waits for anything else. There are no more than `send.concurrency`,
 * no more than the service bears, and the runs to one service share what there is.
 */
import { createAdaptiveLimit } from './adaptive-limit.js';
import { createFairPermits } from './fair-permits.js';
import { createLatencyTrend } from './latency-trend.js';
import { createLoadHearing } from './load-signal.js';
import { createRatePace } from './rate-pace.js';
export function createServicePermits({ now, createBusy }) {
    const limit = createAdaptiveLimit();
    const fair = createFairPermits({ limit: limit.current });
    return {
        limit: () => limit.current(fair.ceiling()),
        join(run) {
            const share = fair.join(run);
            run.stopping.addEventListener('abort', share.giveUp, { once: true });
            if (run.stopping.aborted)
                share.giveUp();
            // Each run has a trend of its own: not every operation takes as long.
            const hear = createLoadHearing({ limit, fair, trend: createLatencyTrend(createBusy()), now });
            return { ...permitsOf(share, run, now), release: releaseOf(share, hear), ...leaveOf(share, run) };
        },
    };
}
function permitsOf(share, { rate, stopping, ceiling }, now) {
    const take = async (isFirst) => {
        if (stopping.aborted)
            return false;
        return share.tryTake() || new Promise((resolve) => share.wait(resolve, isFirst));
    };
    const { taken, free, tryTake, release } = share;
    const wait = (granted) => share.wait(granted, false);
    const isContested = () => free() === 0 && taken() < ceiling;
    const seen = { free, taken, isContested };
    if (rate === null)
        return { tryTake, take, wait, ...seen };
    const pace = createRatePace({ ...rate, now, permits: { take: () => take(true), release, free } });
    return { tryTake: () => false, take: pace.next, wait, ...seen };
}
function releaseOf(share, hear) {
    return (reply) => {
        if (reply !== null)
            hear(reply);
        share.release();
    };
}
function leaveOf(share, { stopping }) {
    return {
        leave() {
            stopping.removeEventListener('abort', share.giveUp);
            share.leave();
        },
    };
}
//# sourceMappingURL=run-permits.js.map