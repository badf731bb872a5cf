/** Counts a run's settlements as they are written to its report: outcomes, records, and what went wrong most often. */
import { describedColumn } from '../model/issue.ts';
import { noOutcomes, type OutcomeCounts, REMAINDER, wasAccepted } from '../model/outcome.ts';
import { type Settlement, warningsOf } from '../model/settlement.ts';
import { createShapeTally, type Shape } from '../model/written-as.ts';
import { type Advising, adviceIn } from './results.ts';
import type { TopError, TopWarning } from './summary.ts';

export type Tally = {
  /** Counts a settlement; throws where a row comes twice or out of order, which is a defect of the ledger. */
  add(settlement: Settlement): void;
  outcomes(): OutcomeCounts;
  /** Records that the service accepted: neighbouring rows with one key and one id are one record. */
  records(): number;
  /** The ten commonest causes (outcome, code and column) of rows that did not succeed, commonest first. */
  topErrors(): readonly TopError[];
  /** How refused cells are written, where a setting would read them, commonest first. */
  shapes(): readonly Shape[];
  /** Every warning that rows were sent with, by code and column, commonest first. */
  topWarnings(): readonly TopWarning[];
};

export function createTally(advising: Advising): Tally {
  const outcomes = noOutcomes();
  const errors = new Map<string, TopError>();
  const warnings = new Map<string, TopWarning>();
  const shapes = createShapeTally();
  let lastRow = 0;
  let records = 0;
  let lastAccepted: Settlement | null = null;
  const countRecord = (settlement: Settlement) => {
    if (lastAccepted === null || !isSameRecord(lastAccepted, settlement)) records += 1;
    lastAccepted = settlement;
  };
  return {
    add(settlement) {
      if (settlement.row <= lastRow) {
        throw new Error(
          `the ledger gave row ${settlement.row} after row ${lastRow}: expected each row once, in order`,
        );
      }
      lastRow = settlement.row;
      outcomes[settlement.outcome] += 1;
      if (wasAccepted(settlement.outcome)) countRecord(settlement);
      if (REMAINDER[settlement.outcome] !== 'none') countError(errors, settlement, advising);
      if (settlement.outcome === 'invalid') shapes.add(settlement.row, settlement.message);
      for (const warning of warningsOf(settlement)) countWarning(warnings, warning, settlement.row);
    },
    outcomes: () => ({ ...outcomes }),
    records: () => records,
    topErrors: () => [...errors.values()].sort(commonestFirst).slice(0, TOP),
    shapes: shapes.shapes,
    topWarnings: () => [...warnings.values()].sort(commonestFirst),
  };
}

function isSameRecord(before: Settlement, { row, key, id }: Settlement): boolean {
  return row === before.row + 1 && key !== '' && id !== '' && key === before.key && id === before.id;
}

function countError(
  errors: Map<string, TopError>,
  { outcome, code, message, row }: Settlement,
  advising: Advising,
): void {
  const column = outcome === 'invalid' ? describedColumn(message) : null;
  const cause = JSON.stringify([outcome, code, column]);
  const known = errors.get(cause);
  if (known !== undefined) known.count += 1;
  else if (errors.size < MAX_CAUSES) {
    const advice = adviceIn({ code, outcome }, advising);
    errors.set(cause, { outcome, code, ...columnNamed(column), count: 1, exampleRow: row, advice });
  }
}

function countWarning(
  warnings: Map<string, TopWarning>,
  { code, column }: ReturnType<typeof warningsOf>[number],
  row: number,
): void {
  const cause = JSON.stringify([code, column]);
  const known = warnings.get(cause);
  if (known !== undefined) known.count += 1;
  else if (warnings.size < MAX_CAUSES)
    warnings.set(cause, { code, ...columnNamed(column), count: 1, exampleRow: row });
}

function columnNamed(column: string | null): { column?: string } {
  return column === null ? {} : { column };
}

const TOP = 10;

/** Codes come from tables and columns from a header, so there are few; the bound keeps memory flat all the same. */
const MAX_CAUSES = 1000;

type Counted = { readonly count: number; readonly exampleRow: number };

function commonestFirst(a: Counted, b: Counted): number {
  return b.count - a.count || a.exampleRow - b.exampleRow;
}
