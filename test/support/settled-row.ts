import type { SettledRow } from '../../src/ledger/settle-entry.ts';
import type { Outcome } from '../../src/model/outcome.ts';

/** A row of chunk 1 with the key K<row> that ended so, as a worker hands it to the ledger. */
export function settledRow(
  row: number,
  outcome: Outcome,
  over: Partial<SettledRow> & { readonly id?: string; readonly status?: number } = {},
): SettledRow {
  const { id = `id-${row}`, status = 200, ...rest } = over;
  const settlement = {
    row,
    line: row + 1,
    key: `K${row}`,
    outcome,
    status,
    id,
    attempts: 1,
    ms: 5,
    code: '',
    message: '',
    values: {},
    issues: [],
    warnings: [],
  };
  return {
    chunk: 1,
    settlement,
    identity: null,
    fields: null,
    lead: null,
    source: '',
    body: '',
    documents: '',
    mark: '',
    ...rest,
  };
}
