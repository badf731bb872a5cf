import type { CellCheck } from './cell-check.ts';

/** Finds dates that another order of day and month would make another day. */
export function ambiguousDate(isSwappable: (text: string) => boolean): CellCheck {
  return { code: 'ambiguous_date', find: (text) => (isSwappable(text) ? EXPECTED : null) };
}

const EXPECTED =
  'a date that can be only one day; this one is read by the pattern, and with day and month the other way round it would be another day';
