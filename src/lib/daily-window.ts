/**
 * A daily window: hours of every day in a time zone, such as `22:00-05:00 Europe/London` (the
 * setting `window`). Whether it is open and when it opens next, also across clock changes.
 */

type DailyWindow = {
  /** Minutes since midnight; with `to` before `from` it goes over midnight. */
  readonly from: number;
  readonly to: number;
  readonly timeZone: string;
};

const PATTERN = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d) (\S+)$/;

export function parseDailyWindow(text: string): DailyWindow | null {
  const found = PATTERN.exec(text);
  if (found === null) return null;
  const [, fromHour, fromMinute, toHour, toMinute, timeZone = ''] = found;
  const from = Number(fromHour) * 60 + Number(fromMinute);
  const to = Number(toHour) * 60 + Number(toMinute);
  return from === to || !isTimeZone(timeZone) ? null : { from, to, timeZone };
}

/** An hour that a clock change skips is never open, one that it repeats is open twice. */
export function isOpenAt(window: DailyWindow, now: Date): boolean {
  const minute = wallMinute(now, window.timeZone);
  const { from, to } = window;
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function wallMinute(now: Date, timeZone: string): number {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-GB', {
      timeZone,
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
    formats.set(timeZone, format);
  }
  const [hour, minute] = format.format(now).split(':');
  return Number(hour) * 60 + Number(minute);
}

const MINUTE_MS = 60_000;
/** Longer than a day: a clock change can delay an opening by an hour. */
const SEARCH_MINUTES = 26 * 60;

/** To the minute; `now` where it is open. */
export function nextOpening(window: DailyWindow, now: Date): Date {
  if (isOpenAt(window, now)) return now;
  const minute = Math.floor(now.getTime() / MINUTE_MS);
  for (let ahead = 1; ahead <= SEARCH_MINUTES; ahead += 1) {
    const at = new Date((minute + ahead) * MINUTE_MS);
    if (isOpenAt(window, at)) return at;
  }
  // A window that a clock change skips entirely opens the day after.
  return nextOpening(window, new Date((minute + SEARCH_MINUTES) * MINUTE_MS));
}

/** In the IANA database, as this Node knows it. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
