import { performance } from 'node:perf_hooks';

/** Makes a question that answers the share (0 to 1) of the time since it was last asked for which this thread was at work, not waiting. */
export function createOwnWork(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const before = last;
    last = performance.eventLoopUtilization();
    return performance.eventLoopUtilization(last, before).utilization;
  };
}
