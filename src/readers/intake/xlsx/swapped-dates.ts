/**
 * Columns in which Excel took days for months: where the day was 12 or less, the text became a
 * date cell with the two swapped; where it was more, it stayed text.
 */
import type { SheetRow } from './sheet.ts';

const SMALL = '(?:0?[1-9]|1[0-2])';
const LARGE = '(?:1[3-9]|2\\d|3[01])';
const TEXT = new RegExp(`^\\s*(?:${LARGE}[/.-]${SMALL}|${SMALL}[/.-]${LARGE})[/.-](?:\\d\\d){1,2}\\b`);
const LATE = new RegExp(`^\\d{4}-\\d\\d-${LARGE}`);

const LEAST = 2; // fewer may be single mistakes

export function createSwapLook() {
  const columns = new Map<number, { text: number; date: number; late: number }>();
  return {
    see({ cells }: SheetRow) {
      for (const cell of cells) {
        if (cell.kind !== 'date' && (cell.kind !== 'text' || !TEXT.test(cell.text))) continue;
        const counts = columns.get(cell.column) ?? { text: 0, date: 0, late: 0 };
        columns.set(cell.column, counts);
        counts[cell.kind === 'date' && LATE.test(cell.text) ? 'late' : cell.kind] += 1;
      }
    },
    found: () =>
      [...columns]
        .filter(([, { text, date, late }]) => late === 0 && Math.min(text, date) >= LEAST)
        .map(([column]) => column),
  };
}
