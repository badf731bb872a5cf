import type { WeatherReport } from '../ledger/weather.ts';
import { type Io, tell } from './io.ts';
import { serviceWords } from './service-words.ts';

/** Tells the user when everything waits for the service, and when it goes on. */
export type ServiceNotice = {
  /** Looks at most once a second; never fails. */
  update(): void;
};

const EVERY_MS = 1_000;
/** Of the progress bar, which draws itself again below. */
const CLEAR_LINE = '\r\u001b[K';

export function createServiceNotice(
  io: Io,
  read: () => Promise<WeatherReport>,
  now: () => number,
): ServiceNotice {
  let last = Number.NEGATIVE_INFINITY;
  let isAway = false;
  const look = async () => {
    const report = await read();
    if ((report.state === 'away') === isAway) return;
    isAway = report.state === 'away';
    const text = isAway ? `The service is ${serviceWords(report)}.` : 'The service answers again.';
    tell(io, io.stderr.isTTY === true ? CLEAR_LINE + text : text);
  };
  return {
    update() {
      if (now() - last < EVERY_MS) return;
      last = now();
      look().catch(() => undefined);
    },
  };
}
