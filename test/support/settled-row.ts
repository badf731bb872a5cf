import type { SettledRow } from '../../src/engine/ledger/settle-entry.ts';
import type { Outcome } from '../../src/model/outcome.ts';
import type { Settlement } from '../../src/model/settlement.ts';

/** A row in doubt, of row number and key. */
export function doubtOf(row: number, over: Partial<Settlement> = {}): Settlement {
  return {
    row,
    line: row + 1,
    key: `K${row}`,
    outcome: 'in-doubt',
    status: 0,
    id: '',
    attempts: 1,
    ms: 5,
    code: 'timeout',
    message: 'no answer',
    values: {},
    issues: [],
    warnings: [],
    ...over,
  };
}

/** A row that ended so, with nothing else to be said of it. */
export function endedRow(row: number, outcome: Outcome, over: Partial<Settlement> = {}): Settlement {
  return doubtOf(row, { outcome, code: '', message: '', ...over });
}

/** A row of chunk 1 with the key K<row> that ended so, as a worker hands it to the ledger. */
export function settledRow(row: number, outcome: Outcome, over: Partial<SettledRow> = {}): SettledRow {
  return {
    ...endedRow(row, outcome, { id: `id-${row}`, status: 200 }),
    chunk: 1,
    identity: null,
    content: '',
    fields: null,
    leader: null,
    repeatable: false,
    streak: null,
    source: '',
    body: '',
    documents: '',
    mark: '',
    ...over,
  };
}
