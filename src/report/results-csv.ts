import { adviceFor } from '../model/advice.ts';
import type { Settlement } from '../model/settlement.ts';
import { csvText } from './csv-text.ts';

/** The columns of `results.csv` (DESIGN.md, section 4); scripts rely on them. */
export const RESULTS_COLUMNS = [
  'row',
  'line',
  'key',
  'outcome',
  'status',
  'id',
  'attempts',
  'ms',
  'code',
  'message',
  'advice',
] as const;

const DIALECT = { delimiter: ',', quote: '"' } as const;

/** The header line of `results.csv`. */
export function resultsHeader(): string {
  return csvText([RESULTS_COLUMNS], DIALECT);
}

/** The lines of `results.csv`, one per settlement. */
export function resultsLines(settlements: readonly Settlement[]): string {
  return csvText(settlements.map(resultCells), DIALECT);
}

function resultCells(s: Settlement): readonly string[] {
  return [
    String(s.row),
    String(s.line),
    s.key,
    s.outcome,
    s.status === 0 ? '' : String(s.status),
    s.id,
    String(s.attempts),
    String(s.ms),
    s.code,
    s.message,
    adviceFor(s.code, s.outcome),
  ];
}
