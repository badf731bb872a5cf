/** Counts a run's settlements as they are written to its report: outcomes, records, and what went wrong most often. */
import { noOutcomes, type OutcomeCounts, REMAINDER, wasAccepted } from '../model/outcome.ts';
import { type Settlement, warningsOf } from '../model/settlement.ts';
import { type Advising, adviceIn } from './results.ts';
import type { TopError, TopWarning } from './summary.ts';

export type Tally = {
  /** Counts a settlement; throws where a row comes twice or out of order, which is a defect of the ledger. */
  add(settlement: Settlement): void;
  outcomes(): OutcomeCounts;
  /** Records that the service accepted: neighbouring rows with one key and one id are one record. */
  records(): number;
  /** The ten commonest (outcome, code) pairs of rows that did not succeed, commonest first. */
  topErrors(): readonly TopError[];
  /** Every warning that rows were sent with, commonest first. */
  topWarnings(): readonly TopWarning[];
};

export function createTally(advising: Advising): Tally {
  const outcomes = noOutcomes();
  const errors = new Map<string, TopError>();
  const warnings = new Map<string, TopWarning>();
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
      for (const { code } of warningsOf(settlement)) countWarning(warnings, code, settlement.row);
    },
    outcomes: () => ({ ...outcomes }),
    records: () => records,
    topErrors: () => [...errors.values()].sort(commonestFirst).slice(0, TOP),
    topWarnings: () => [...warnings.values()].sort(commonestFirst),
  };
}

function isSameRecord(before: Settlement, { row, key, id }: Settlement): boolean {
  return row === before.row + 1 && key !== '' && id !== '' && key === before.key && id === before.id;
}

function countError(
  errors: Map<string, TopError>,
  { outcome, code, row }: Settlement,
  advising: Advising,
): void {
  const pair = `${outcome} ${code}`;
  const known = errors.get(pair);
  if (known !== undefined) known.count += 1;
  else if (errors.size < MAX_PAIRS) {
    errors.set(pair, {
      outcome,
      code,
      count: 1,
      exampleRow: row,
      advice: adviceIn({ code, outcome }, advising),
    });
  }
}

function countWarning(warnings: Map<string, TopWarning>, code: string, row: number): void {
  const known = warnings.get(code);
  if (known !== undefined) known.count += 1;
  else if (warnings.size < MAX_PAIRS) warnings.set(code, { code, count: 1, exampleRow: row });
}

const TOP = 10;

/** Codes come from tables, so there are few; the bound keeps memory flat should a code ever hold other text. */
const MAX_PAIRS = 1000;

type Counted = { readonly count: number; readonly exampleRow: number };

function commonestFirst(a: Counted, b: Counted): number {
  return b.count - a.count || a.exampleRow - b.exampleRow;
}
