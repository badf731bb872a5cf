import type { KeyPlace } from './settle-entry.ts';

/** One row's way into the ledger before it is sent. */
export type Intent = {
  readonly chunk: number;
  readonly row: number;
  readonly mark: string;
  /** The mark of a dead worker that is taken over; `''`: the row must have none. */
  readonly expected: string;
  /** What the row's key is known by, to be restored with the intent; `null`: nothing. */
  readonly identity: { readonly space: string; readonly key: string } | null;
  /** The record whose fields are followed, what was known of them, and what stands for them until the answer is recorded; `null`: they aren't. */
  readonly fields: (KeyPlace & { readonly before: string; readonly own: string }) | null;
  /** The call may be repeated: it is sent also where a lost worker may have sent it. */
  readonly repeatable: boolean;
};
