import { availableParallelism, loadavg } from 'node:os';

/** Processes at work per core up to which a machine is no slower than the bounds allow for. */
const LOAD_PER_CORE = 2;

/**
 * Seconds that were promised, on a machine that has time for its processes: where they are more than it has cores for, as
 * many times longer. What takes a minute instead shows all the same.
 */
export function inTime(seconds: number): number {
  const [lastMinute = 0] = loadavg();
  return seconds * Math.max(1, lastMinute / (LOAD_PER_CORE * availableParallelism()));
}
