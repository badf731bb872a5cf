import { adviceFor } from '../model/advice.ts';
import type { Settlement } from '../model/settlement.ts';

/** The advice for a row, with the report's files by the names they have for this run's input. */
export function adviceIn(
  { code, outcome }: Pick<Settlement, 'code' | 'outcome'>,
  extension: 'csv' | 'ndjson',
): string {
  return adviceFor(code, outcome).replaceAll('.csv', `.${extension}`);
}
