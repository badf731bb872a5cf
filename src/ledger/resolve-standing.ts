import type { LedgerView } from '../model/settlement.ts';

/** What a run holds of rows and ids that somebody names; rows without an outcome are absent. */
export type Standing = {
  /** By row number; empty where the row has none. */
  readonly keys: ReadonlyMap<number, string>;
  /** Rows that have the id, by id: two at most, since rows of one key are one record and stand for each other. */
  readonly holders: ReadonlyMap<string, readonly Holder[]>;
};

export type Holder = { readonly row: number; readonly key: string };

/** One may be the row that is given the id; the other is in its way. */
const HOLDERS_KEPT = 2;

/** Whether two rows of a run are one record: a key that is not that of a group is only ever one row's. */
export function isOneRecord(a: Holder, b: Holder): boolean {
  return a.row === b.row || (a.key !== '' && a.key === b.key);
}

/** Reads the run once for these rows and ids; memory grows with what is asked, not with the run. */
export async function readStanding(
  view: Pick<LedgerView, 'settlements'>,
  asked: { readonly rows: ReadonlySet<number>; readonly ids: ReadonlySet<string> },
): Promise<Standing> {
  const keys = new Map<number, string>();
  const holders = new Map<string, Holder[]>();
  for await (const batch of view.settlements()) {
    for (const { row, key, id } of batch) {
      if (asked.rows.has(row)) keys.set(row, key);
      if (!asked.ids.has(id)) continue;
      const known = holders.get(id) ?? [];
      if (known.length === HOLDERS_KEPT || known.some((one) => isOneRecord(one, { row, key }))) continue;
      holders.set(id, [...known, { row, key }]);
    }
  }
  return { keys, holders };
}
