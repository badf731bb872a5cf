import { type Settlement, warningsOf } from '../model/settlement.ts';
import { type Advising, adviceIn } from './advice-in.ts';
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
export function resultsLines(settlements: readonly Settlement[], advising: Advising): string {
  return csvText(
    settlements.map((s) => resultCells(s, advising)),
    DIALECT,
  );
}

function resultCells(s: Settlement, advising: Advising): readonly string[] {
  return [
    String(s.row),
    s.line === 0 ? '' : String(s.line),
    s.key,
    s.outcome,
    s.status === 0 ? '' : String(s.status),
    s.id,
    String(s.attempts),
    String(s.ms),
    s.code,
    messageOf(s),
    adviceIn(s, advising),
  ];
}

/** What stands there for the row, and after it what looked damaged in it and was sent all the same. */
function messageOf(s: Settlement): string {
  if (s.warnings === '') return s.message;
  const warnings = warningsOf(s).map(({ code, column }) => `warning: ${code}${placeOf(column)}`);
  const said = s.message === '' ? '' : `${s.message}${s.message.endsWith('.') ? '' : ';'} `;
  return `${said}${warnings.join('; ')}`;
}

/** A header may hold line breaks and control characters, which would make a spreadsheet refuse the file. */
const NOT_PRINTED = /[\s\p{Cc}]+/gu;

function placeOf(column: string | null): string {
  return column === null ? '' : ` in "${column.replaceAll(NOT_PRINTED, ' ')}"`;
}
