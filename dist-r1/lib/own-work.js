/** How busy this thread was: each call of the function answers the share (0 to 1) of the time since the call before. */
import { performance } from 'node:perf_hooks';
export function createOwnWork() {
    let last = performance.eventLoopUtilization();
    return () => {
        const before = last;
        last = performance.eventLoopUtilization();
        return performance.eventLoopUtilization(last, before).utilization;
    };
}
//# sourceMappingURL=own-work.js.map