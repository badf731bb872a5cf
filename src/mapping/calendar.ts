/** A point in time as written: month and day from 1, the offset from UTC in minutes. */
export type WrittenTime = {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly ms: number;
  readonly offset: number;
};

const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** Whether the date is in the (proleptic Gregorian) calendar, years 1 to 9999. */
export function isCalendarDate(year: number, month: number, day: number): boolean {
  if (year < 1 || year > 9999 || day < 1) return false;
  const days = month === 2 && isLeapYear(year) ? 29 : MONTH_DAYS[month - 1];
  return days !== undefined && day <= days;
}

/** ISO 8601 with milliseconds and Z (service-api.md, 2.2), or `undefined` where there is no such moment. */
export function isoInstant(t: WrittenTime): string | undefined {
  if (!isCalendarDate(t.year, t.month, t.day)) return undefined;
  if (t.hour > 23 || t.minute > 59 || t.second > 59) return undefined;
  const moment = new Date(0);
  // Date.UTC takes the years 0 to 99 for 1900 to 1999.
  moment.setUTCFullYear(t.year, t.month - 1, t.day);
  moment.setUTCHours(t.hour, t.minute - t.offset, t.second, t.ms);
  const text = moment.toISOString();
  return text.length === 24 && !text.startsWith('0000') ? text : undefined;
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}
