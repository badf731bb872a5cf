import type { SettledRow } from '../ledger/settle-entry.ts';

/** This many 403 in a row are a missing permission, not rows that are forbidden (DESIGN.md, section 5). */
const STREAK = 3;

/** Tells a permission that is missing from single rows that are forbidden. */
export type DenialStreak = {
  /** Another answer than 403 came: the permission is there. */
  broken(): void;
  /** Of one request's rows. `row`: denied, to be settled. `streak`: the third or later in a row; the rows settled as denied before it are to be taken back. */
  denied(
    rows: readonly SettledRow[],
  ): { readonly kind: 'row' } | { readonly kind: 'streak'; readonly earlier: readonly SettledRow[] };
};

export function createDenialStreak(): DenialStreak {
  let earlier: (readonly SettledRow[])[] = [];
  return {
    broken() {
      if (earlier.length > 0) earlier = [];
    },
    denied(rows) {
      if (earlier.length < STREAK - 1) {
        earlier.push(rows);
        return { kind: 'row' };
      }
      return { kind: 'streak', earlier: earlier.flat() };
    },
  };
}
