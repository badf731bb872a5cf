/**
 * The hours in which a job sends rows (the setting `window`), in its time zone, and the words for
 * it.
 */

import { isOpenAt, nextOpening, parseDailyWindow } from '../lib/daily-window.ts';
import { shownTime } from '../lib/terminal.ts';

export type JobWindow = {
  readonly text: string;
  readonly timeZone: string;
  isOpen(): boolean;
  /** When it next opens; now where it is open. */
  opensAt(): Date;
};

const MINUTE_MS = 60_000;

/** `null`: the job sends at any hour. */
export function createJobWindow(text: string | undefined, now: () => Date): JobWindow | null {
  const window = text === undefined ? null : parseDailyWindow(text);
  if (text === undefined || window === null) return null;
  let asked = Number.NaN;
  let open = false;
  return {
    text,
    timeZone: window.timeZone,
    isOpen() {
      const at = now();
      const minute = Math.floor(at.getTime() / MINUTE_MS);
      // Called for every row: an answer holds for its minute.
      if (minute !== asked) open = isOpenAt(window, at);
      asked = minute;
      return open;
    },
    opensAt: () => nextOpening(window, now()),
  };
}

export function closedWindowWords(window: JobWindow): string {
  const opens = shownTime(window.opensAt(), window.timeZone);
  return `The window ${window.text} is closed: goes on at ${opens}.`;
}

export function openWindowWords({ text }: JobWindow): string {
  return `The window ${text} is open: goes on.`;
}
