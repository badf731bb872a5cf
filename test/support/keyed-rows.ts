import type { Row } from '../../src/model/row.ts';

/** A row of one cell, its key. */
export const keyedRow = (number: number, key: string): Row => ({
  kind: 'cells',
  row: number,
  line: number,
  cells: [key],
});

/** Rows of these keys, in this order; `''`: none. */
export const keyedRows = (keys: readonly string[]) => keys.map((key, i) => keyedRow(i + 1, key));

export const keyOfRow = (one: Row) =>
  one.kind === 'cells' && one.cells[0] !== '' ? (one.cells[0] ?? null) : null;
