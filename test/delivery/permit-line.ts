import type { RunPermits } from '../../src/delivery/run-permits.ts';

type OnPermit = (isTaken: boolean) => void;

/** Takes permits one by one, as the sender does: each caller is told once there is one for it. */
export function permitLine(permits: RunPermits): (granted: OnPermit) => void {
  const line: OnPermit[] = [];
  const serve = (goesOn: boolean) => {
    if (!goesOn) for (const granted of line.splice(0)) granted(false);
    while (line.length > 0 && permits.tryTake()) line.shift()?.(true);
    permits.want(line.length, serve);
  };
  return (granted) => {
    line.push(granted);
    serve(true);
  };
}
