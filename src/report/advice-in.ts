import { adviceFor } from '../model/advice.ts';
import type { Operation } from '../model/operation.ts';
import type { Settlement } from '../model/settlement.ts';

/** What of a run its advice goes by. */
export type Advising = { readonly operation: Operation; readonly extension: 'csv' | 'ndjson' };

/** The advice for a row, with the report's files by the names they have for this run's input. */
export function adviceIn(
  { code, outcome }: Pick<Settlement, 'code' | 'outcome'>,
  { operation, extension }: Advising,
): string {
  return adviceFor(code, outcome, operation).replaceAll('.csv', `.${extension}`);
}
