/** Columns of whole numbers of different lengths: zeros that were typed before some may be lost. */
import type { SheetRow } from './sheet.ts';

const WHOLE = /^\d+$/;

export function createLengthLook() {
  const lengths = new Map<number, number>();
  const uneven = new Set<number>();
  return {
    see({ cells }: SheetRow) {
      for (const cell of cells) {
        if (cell.kind !== 'number' || !WHOLE.test(cell.text)) continue;
        const { column, text } = cell;
        if ((lengths.get(column) ?? text.length) !== text.length) uneven.add(column);
        lengths.set(column, text.length);
      }
    },
    found: () => [...uneven],
  };
}
