import { cpus } from 'node:os';

/** From now on: answers the share (0 to 1) of all processors' time that was in use since. */
export function startBusyMeter(): () => number {
  const before = processorTimes();
  return () => {
    const now = processorTimes();
    return 1 - (now.idle - before.idle) / (now.all - before.all);
  };
}

/** Milliseconds since the machine was started, over all processors. */
function processorTimes(): { readonly idle: number; readonly all: number } {
  const times = cpus().map((cpu) => cpu.times);
  const idle = times.reduce((sum, { idle: ms }) => sum + ms, 0);
  return { idle, all: times.reduce((sum, one) => sum + Object.values(one).reduce((a, b) => a + b, 0), 0) };
}
