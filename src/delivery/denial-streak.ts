/**
 * Tells a permission that is missing from single rows that are forbidden: three 403 in a row, with no other answer between them, pause the
 * run, and the rows that were settled as denied before the third are taken back with it. One streak for each run and process.
 */

import type { SettledRow } from '../ledger/settle-entry.ts';

/** This many 403 in a row are a missing permission, not rows that are forbidden. */
const STREAK = 3;

export type DenialStreak = {
  /** Another answer than 403 came: the permission is there. */
  broken(): void;
  /** Of one request's rows. `row`: denied, to be settled. `streak`: the third or later in a row; the rows settled as denied before the third are to be taken back with it. */
  denied(
    rows: readonly SettledRow[],
  ): { readonly kind: 'row' } | { readonly kind: 'streak'; readonly earlier: readonly SettledRow[] };
};

export function createDenialStreak(): DenialStreak {
  let earlier: (readonly SettledRow[])[] = [];
  /** They are taken back once: by the time of a later 403 one of them may be on its way again. */
  let isTaken = false;
  return {
    broken() {
      if (earlier.length > 0) earlier = [];
      isTaken = false;
    },
    denied(rows) {
      if (earlier.length < STREAK - 1) {
        earlier.push(rows);
        return { kind: 'row' };
      }
      const back = isTaken ? [] : earlier.flat();
      isTaken = true;
      return { kind: 'streak', earlier: back };
    },
  };
}
