import { isCalendarDate, isoInstant } from './calendar.ts';
import type { Conversion } from './conversion.ts';
import type { CompiledDatePattern, DateParser } from './date-pattern.ts';

const ISO_DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_LENGTH = 10;
const ISO_TIME =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,3})0*)?)?(?:Z|([+-])(\d{2}):?([0-5]\d))$/;

/**
 * A conversion to the service's date-time. Without a parser of the definition's own pattern it takes an ISO 8601 date,
 * or a date-time that says its offset; digits beyond the millisecond are refused unless they are zeros.
 */
export function dateConversion(
  pattern: (Extract<CompiledDatePattern, { kind: 'parser' }> & { readonly text: string }) | null,
): Conversion {
  if (pattern === null) return { fromText: parseIso, fromJson: () => undefined, expected: ISO };
  return {
    fromText: pattern.parse,
    fromJson: () => undefined,
    ...(pattern.isSwappable === null ? {} : { isSwappable: pattern.isSwappable }),
    typed: { fromText: (text) => typedDate(text, pattern.parse), fromJson: () => undefined, expected: ISO },
    expected: `a date of the calendar written as ${pattern.text}`,
  };
}

/** A workbook's date has no offset, and a pattern means UTC; a number may be a date whose digits the pattern knows. */
function typedDate(text: string, parse: DateParser): string | undefined {
  if (!/^\d{4}-/.test(text)) return parse(text);
  return parseIso(text.length > DATE_LENGTH && !text.endsWith('Z') ? `${text}Z` : text);
}

const ISO =
  'a date such as 2024-03-31, or a date-time with its offset and at most milliseconds such as 2024-03-31T09:30:00Z';

function parseIso(text: string): string | undefined {
  if (text.length > DATE_LENGTH) return parseIsoTime(text);
  if (!ISO_DATE.test(text)) return undefined;
  const year = Number(text.slice(0, 4));
  const month = Number(text.slice(5, 7));
  return isCalendarDate(year, month, Number(text.slice(8))) ? `${text}T00:00:00.000Z` : undefined;
}

function parseIsoTime(text: string): string | undefined {
  const match = ISO_TIME.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second = '0', fraction = '0', sign, hours = '0', minutes = '0'] =
    match;
  if (Number(hours) > 23) return undefined;
  const offset = Number(hours) * 60 + Number(minutes);
  return isoInstant({
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    ms: Number(fraction.padEnd(3, '0')),
    offset: sign === '-' ? -offset : offset,
  });
}
