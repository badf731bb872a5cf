import { flattenRecord } from '../../model/flatten-record.ts';
import type { JsonValue } from '../../model/request.ts';
import type { Row } from '../../model/row.ts';
import type { SourceInfo } from '../../model/source.ts';
import { parseRecord } from '../parse-record.ts';

/** What the rows that could be read have in each column, by the column's place; text that is empty is left out. */
export type ColumnValues = readonly (readonly JsonValue[])[];

/** Lays rows out by columns; `texts`: without a workbook's numbers, dates and booleans, which are read in one way only. */
export function columnValues(
  { columns }: Pick<SourceInfo, 'columns'>,
  rows: readonly Row[],
  kind: 'all' | 'texts',
): ColumnValues {
  const values = columns.map((): JsonValue[] => []);
  for (const row of rows) {
    const cells = cellsOf(row, columns);
    const typed = kind === 'texts' && row.kind === 'cells' ? row.typed : undefined;
    for (const [slot, list] of values.entries()) {
      const value = cells[slot] ?? '';
      if (value !== '' && typed?.includes(slot) !== true) list.push(value);
    }
  }
  return values;
}

function cellsOf(row: Row, columns: readonly string[]): readonly (JsonValue | undefined)[] {
  switch (row.kind) {
    case 'cells':
      return row.cells;
    case 'record': {
      const leaves = flattenRecord(parseRecord(row.text) ?? {});
      return columns.map((column) => leaves.get(column));
    }
    case 'unreadable':
      return [];
    default:
      return row satisfies never;
  }
}
