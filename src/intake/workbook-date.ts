import type { NumberKind } from './workbook-formats.ts';

/** What a cell with a date format says: the date in ISO 8601 without an offset, which workbooks don't have, or why it says none. */
export type DateReading = { readonly text: string } | { readonly problem: string };

const DAY_MS = 86_400_000;
/** Day 0 of the count since 1900 as it is right from March 1900 on: Excel has a 29 February 1900. */
const EPOCH_1900 = Date.UTC(1899, 11, 30);
const EPOCH_1904 = Date.UTC(1904, 0, 1);
const FIRST_DAY_1900 = 61;
const END_OF_9999 = Date.UTC(10_000, 0, 1);

const TOO_EARLY = 'a date before 1 March 1900, which programs count differently: expected it as text';
const TOO_LATE = 'a date after the year 9999: expected a date of the calendar';
const NOT_ISO = 'a date that is not written as ISO 8601: expected a date of the calendar';

/** The date of a serial number (ECMA-376 part 1, 18.17.4), to the millisecond. */
export function dateOfSerial(serial: number, kind: NumberKind, from1904: boolean): DateReading {
  if (serial >= 0 && serial < 1 && kind === 'time') return { text: timeOf(Math.round(serial * DAY_MS)) };
  if (serial < (from1904 ? 0 : FIRST_DAY_1900)) return { problem: TOO_EARLY };
  const moment = (from1904 ? EPOCH_1904 : EPOCH_1900) + Math.round(serial * DAY_MS);
  if (!(moment < END_OF_9999)) return { problem: TOO_LATE };
  return { text: withoutMidnight(new Date(moment).toISOString().slice(0, -1)) };
}

const ISO = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/;

/** A date that the workbook writes out (cells of type `d`). */
export function writtenDate(text: string): DateReading {
  if (!ISO.test(text)) return { problem: NOT_ISO };
  return { text: withoutMidnight(text) };
}

function withoutMidnight(iso: string): string {
  return iso.replace(/T00:00(?::00(?:\.0+)?)?$/, '').replace(/\.0+$/, '');
}

function timeOf(ms: number): string {
  return new Date(ms % DAY_MS).toISOString().slice(11, -1).replace(/\.0+$/, '');
}
