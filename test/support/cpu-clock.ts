/** Answers how long this process has had the processor since (ms): on a busy machine the wall's clock says nothing. */
export function startCpuClock(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
}
