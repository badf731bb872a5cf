/** What the ledger knows of a key. */
export type KeyState =
  /** A record was created under it. */
  | { readonly kind: 'known'; readonly run: string; readonly row: number; readonly id: string }
  /** A row has it that is not done yet, or of which nobody knows what became of it. */
  | { readonly kind: 'held'; readonly run: string; readonly row: number; readonly inDoubt: boolean }
  /** A row had it that was not created. */
  | { readonly kind: 'given-back'; readonly run: string; readonly row: number }
  | { readonly kind: 'free' };
