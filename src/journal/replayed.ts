import type { IntendedRow, SettleEntry } from './record.ts';

/**
 * What is to be put back into the ledger, in this order: the fields of every run, the highest chunk added of every run,
 * what was settled, and last the intents of which no end is known. At most 200 entries or rows in one.
 */
export type Replayed =
  | {
      readonly kind: 'run';
      readonly run: string;
      readonly target: string;
      readonly fields: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'added'; readonly run: string; readonly chunk: number }
  | { readonly kind: 'settled'; readonly run: string; readonly entries: readonly SettleEntry[] }
  | { readonly kind: 'intended'; readonly run: string; readonly rows: readonly IntendedRow[] };
