import type { Row } from '../model/row.ts';
import type { CsvDialect } from './csv-dialect.ts';
import { lenientEnd } from './csv-lenient.ts';
import { cellEndAt } from './csv-record.ts';
import { unreadableRow } from './unreadable-row.ts';

/** A row that may turn out to be a line of a cell whose opening quote is missing; `cells`: how many its record has. */
export type HeldRow = { readonly row: Row; readonly cells: number; readonly text: () => string };

/** So many rows are held back at most: a cell of more lines would swallow too many good rows. */
export const MOST_HELD = 50;

/**
 * The rows held back, now that the damaged record `bad` follows. Where its first quote closes a cell that a row with too
 * few cells before it began (together they have `width`), the rows between the two are lines of that cell, so unreadable.
 */
export function judgeHeld(
  held: readonly HeldRow[],
  bad: string,
  { dialect, width }: { readonly dialect: CsvDialect; readonly width: number },
): readonly Row[] {
  const wanted = width + 1 - (cellsOfTail(bad, dialect) ?? 0);
  const first = held.findIndex(({ cells }) => cells === wanted && cells < width);
  const line = held[first]?.row.line;
  if (first === -1 || line === undefined) return held.map(({ row }) => row);
  return held.map(({ row, text }, i) =>
    i > first && row.kind === 'cells' ? unreadableRow(row, text(), innerLine(line)) : row,
  );
}

/** How many cells end in a record from the cell on that its first quote closes; `null` where that quote closes none. */
function cellsOfTail(text: string, dialect: CsvDialect): number | null {
  const view = { text, end: text.length, final: true };
  const quote = text.indexOf(dialect.quote);
  const isClosing = quote > 0 && cellEndAt(view, quote + 1, dialect) !== null;
  return isClosing ? (lenientEnd(view, quote + 1, dialect)?.cells ?? null) : null;
}

function innerLine(line: number): string {
  return `may be a line of a cell that begins on line ${line} without a quote: expected quotes around a cell of several lines`;
}
