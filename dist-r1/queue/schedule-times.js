/**
 * When a schedule fires, by the wall clock of its time zone. A time that a change of clocks skips (02:00 on Lord Howe, midnight
 * in Santiago) fires once, at the next moment that there is; one that a change repeats fires the first time only. A schedule
 * of every hour, or of every so many, goes by the hours that pass, so that it fires in both of two that have one name.
 */
import { getNextMillis } from 'bullmq';
import { CronExpressionParser } from 'cron-parser';
/** When a schedule fires next after that moment; `null`: never again. */
export function nextTime({ cron, timezone }, after) {
    const [, hours = ''] = cron.trim().split(/\s+/);
    if (!hours.startsWith('*'))
        return nextByWall(cron, timezone, after.getTime());
    const next = getNextMillis(after.getTime(), { pattern: cron, tz: timezone });
    return next === undefined ? null : new Date(next);
}
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
function nextByWall(cron, timezone, after) {
    const wallAt = wallClock(timezone);
    // What a change of clocks has put off lies before the wall's time of now.
    const currentDate = new Date(wallAt(after) - DAY_MS);
    const walls = CronExpressionParser.parse(cron, { currentDate, tz: 'UTC' });
    while (walls.hasNext()) {
        const at = momentOf(walls.next().getTime(), wallAt);
        if (at > after)
            return new Date(at);
    }
    return null;
}
/** The first moment at which the wall shows the time; where it never does, the one at which it shows a later time at once. */
function momentOf(wall, wallAt) {
    // Clocks are changed at most once in two days.
    const offsets = [wall - DAY_MS, wall + DAY_MS].map((ms) => wallAt(ms) - ms);
    const moments = offsets.map((offset) => wall - offset);
    const shown = moments.filter((ms) => wallAt(ms) === wall);
    if (shown.length > 0)
        return Math.min(...shown);
    let [before, from] = [Math.min(...moments), Math.max(...moments)];
    while (from - before > MINUTE_MS) {
        const middle = before + Math.floor((from - before) / (2 * MINUTE_MS)) * MINUTE_MS;
        if (wallAt(middle) < wall)
            before = middle;
        else
            from = middle;
    }
    return from;
}
function wallClock(timeZone) {
    // Sweden writes dates as ISO 8601 does.
    const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
    return (ms) => Date.parse(`${format.format(ms).replace(' ', 'T')}Z`);
}
//# sourceMappingURL=schedule-times.js.map