import type { Row } from './row.ts';
import type { Settlement } from './settlement.ts';

/** What a report needs to know of one run; rows are named by their row number. */
export type LedgerView = {
  /** In row order, a batch per chunk; rows without an outcome yet are absent. */
  settlements(): AsyncIterable<readonly Settlement[]>;
  /** Source records of rows that did not succeed; rows not known are absent. */
  sources(rows: readonly number[]): Promise<ReadonlyMap<number, Row>>;
  /** Bodies of refusals as received; rows not known are absent. */
  bodies(rows: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** `payment.documents`: JSON text of the array of document records per row; rows not known are absent. */
  documents(rows: readonly number[]): Promise<ReadonlyMap<number, string>>;
};
