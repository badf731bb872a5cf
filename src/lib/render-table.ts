import { shorten } from './printable.ts';

const GAP = '  ';
const MAX_CELL = 24;

/** Aligned columns in lines of at most `width` characters; columns that don't fit are counted in a last line. */
export function renderTable(
  head: readonly string[],
  body: readonly (readonly string[])[],
  width: number,
): string[] {
  const table = [head, ...body].map((cells) => cells.map((cell) => shorten(cell, MAX_CELL)));
  const widths = fitting(
    head.map((_, column) => widest(table, column)),
    width,
  );
  const lines = table.map((cells) =>
    widths
      .map((w, column) => pad(cells[column] ?? '', w))
      .join(GAP)
      .trimEnd(),
  );
  const hidden = head.length - widths.length;
  return hidden === 0 ? lines : [...lines, `and ${hidden} more ${hidden === 1 ? 'column' : 'columns'}`];
}

function widest(table: readonly (readonly string[])[], column: number): number {
  return table.reduce((most, cells) => Math.max(most, lengthOf(cells[column] ?? '')), 0);
}

/** The first widths that fit side by side, one at least. */
function fitting(widths: readonly number[], width: number): readonly number[] {
  let used = -GAP.length;
  const last = widths.findIndex((w) => {
    used += w + GAP.length;
    return used > width;
  });
  return last === -1 ? widths : widths.slice(0, Math.max(1, last));
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(width - lengthOf(cell));
}

function lengthOf(text: string): number {
  return [...text].length;
}
