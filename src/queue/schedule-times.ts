/**
 * When a schedule fires, by the wall clock of its time zone. A time that a clock change skips
 * (02:00 on Lord Howe, midnight in Santiago) fires once, at the next moment that exists; a repeated
 * one fires the first time only. A schedule of every hour, or every so many, goes by hours that
 * pass, so it fires in both hours of one name.
 */
import { getNextMillis } from 'bullmq';
import { CronExpressionParser } from 'cron-parser';
import type { ScheduleSettings } from '../config/job-definition.ts';

/** `null`: never again. */
export function nextTime({ cron, timezone }: ScheduleSettings, after: Date): Date | null {
  const [, hours = ''] = cron.trim().split(/\s+/);
  if (!hours.startsWith('*')) return nextByWall(cron, timezone, after.getTime());
  const next = getNextMillis(after.getTime(), { pattern: cron, tz: timezone });
  return next === undefined ? null : new Date(next);
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A wall clock's time as if it were UTC, ms: without a zone, and without gaps. */
type Wall = number;

function nextByWall(cron: string, timezone: string, after: number): Date | null {
  const wallAt = wallClock(timezone);
  // What a clock change has put off lies before the wall's present time.
  const currentDate = new Date(wallAt(after) - DAY_MS);
  const walls = CronExpressionParser.parse(cron, { currentDate, tz: 'UTC' });
  while (walls.hasNext()) {
    const at = momentOf(walls.next().getTime(), wallAt);
    if (at > after) return new Date(at);
  }
  return null;
}

/** The first moment at which the wall shows the time, or else jumps past it. */
function momentOf(wall: Wall, wallAt: (ms: number) => Wall): number {
  // Clocks are changed at most once in two days.
  const offsets = [wall - DAY_MS, wall + DAY_MS].map((ms) => wallAt(ms) - ms);
  const moments = offsets.map((offset) => wall - offset);
  const shown = moments.filter((ms) => wallAt(ms) === wall);
  if (shown.length > 0) return Math.min(...shown);
  let [before, from] = [Math.min(...moments), Math.max(...moments)];
  while (from - before > MINUTE_MS) {
    const middle = before + Math.floor((from - before) / (2 * MINUTE_MS)) * MINUTE_MS;
    if (wallAt(middle) < wall) before = middle;
    else from = middle;
  }
  return from;
}

function wallClock(timeZone: string): (ms: number) => Wall {
  // Sweden writes dates as in ISO 8601.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return (ms) => Date.parse(`${format.format(ms).replace(' ', 'T')}Z`);
}
