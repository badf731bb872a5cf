import { groupRows as groupsOf } from '../../src/model/row-group.ts';

/** Rows in file order as the groups they make. */
export function groupRows<T extends { readonly row: number }>(
  rows: readonly T[],
  keyOf: (row: T) => string | null,
): readonly (readonly T[])[] {
  return groupsOf(rows, keyOf).map(({ leader, members }) => [leader, ...members]);
}
