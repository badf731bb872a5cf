import type { Io } from '../lib/terminal.ts';
import { tellOverBar } from './tell-over-bar.ts';
import type { WaitingReason } from './wait-out.ts';

/** Tells the user once that reading waits for Redis, and once that it goes on. */
type WaitingNotice = {
  /** After each command to Redis: why it has to wait; `null`: it went through. */
  heard(reason: WaitingReason | null): void;
  /** The file has been read to its end. */
  complete(): void;
};

/** A full Redis takes a little whenever a chunk is closed: only after this long without a refusal does reading go on. */
const CALM_MS = 5_000;

const WAITS: Readonly<Record<WaitingReason, string>> = {
  full: 'Redis is full (maxmemory): reading waits, rows in hand go on. Raise maxmemory, or wait.',
  disk: "Redis can't write to its disk: reading waits. Make room on that disk; it goes on by itself.",
  away: 'Redis takes no commands right now: reading waits, and goes on by itself.',
};
const GOES_ON = 'Redis takes rows again: reading goes on.';

export function createWaitingNotice(io: Io, now: () => number): WaitingNotice {
  let shown: WaitingReason | null = null;
  let refusedAt = 0;
  const say = (text: string) => tellOverBar(io, text);
  const goOn = () => {
    if (shown !== null) say(GOES_ON);
    shown = null;
  };
  return {
    heard(reason) {
      if (reason === null) {
        if (now() - refusedAt >= CALM_MS) goOn();
        return;
      }
      refusedAt = now();
      if (shown !== reason) say(WAITS[reason]);
      shown = reason;
    },
    complete: goOn,
  };
}
