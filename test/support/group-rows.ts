import { createGroupGatherer } from '../../src/model/row-group.ts';

type Numbered = { readonly row: number };

/** Rows in file order as the groups they make. */
export function groupRows<T extends Numbered>(
  rows: readonly T[],
  keyOf: (row: T) => string | null,
): readonly (readonly T[])[] {
  const gatherer = createGroupGatherer(keyOf);
  const groups = rows.flatMap((row) => {
    const group = gatherer.take(row);
    return group === null ? [] : [group];
  });
  const last = gatherer.end();
  return last === null ? groups : [...groups, last];
}
