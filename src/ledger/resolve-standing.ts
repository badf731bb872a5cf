import type { LedgerView } from '../model/ledger-view.ts';

/** What a run holds of rows and ids that somebody names; rows without an outcome are absent. */
export type Standing = {
  /** By row number; empty where the row has none. */
  readonly keys: ReadonlyMap<number, string>;
  /** Rows that have the id, two at most, by id. */
  readonly holders: ReadonlyMap<string, readonly number[]>;
};

/** One may be the row that is given the id; the other is in its way. */
const HOLDERS_KEPT = 2;

/** Reads the run once for these rows and ids; memory grows with what is asked, not with the run. */
export async function readStanding(
  view: Pick<LedgerView, 'settlements'>,
  asked: { readonly rows: ReadonlySet<number>; readonly ids: ReadonlySet<string> },
): Promise<Standing> {
  const keys = new Map<number, string>();
  const holders = new Map<string, number[]>();
  for await (const batch of view.settlements()) {
    for (const { row, key, id } of batch) {
      if (asked.rows.has(row)) keys.set(row, key);
      if (!asked.ids.has(id)) continue;
      const rows = holders.get(id) ?? [];
      if (rows.length < HOLDERS_KEPT) holders.set(id, [...rows, row]);
    }
  }
  return { keys, holders };
}
