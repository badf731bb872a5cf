import type { Remainder } from '../model/outcome.ts';
import type { RemainderRow } from './remainder-row.ts';

/** The report files that carry source records again. */
export const REMAINDERS = ['rejected', 'failed', 'in-doubt'] as const satisfies readonly Remainder[];
export type RemainderKind = (typeof REMAINDERS)[number];

/** How rows that did not succeed are written, so that they can be mended and loaded again. */
export type RemainderFormat = {
  readonly extension: 'csv' | 'ndjson';
  /** What stands before the first row. */
  header(kind: RemainderKind): string;
  /** The rows, each with its line's end. */
  lines(rows: readonly RemainderRow[], kind: RemainderKind): string;
};
