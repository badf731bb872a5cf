import { CHECKS, type CheckCode, type Severity } from '../../model/issue.ts';
import type { Row } from '../../model/row.ts';
import type { Binding } from '../binding.ts';
import type { Place } from '../column-place.ts';
import type { MappingOptions } from '../mapping-options.ts';
import { addIssue, addWarning, type RowContext } from '../row-context.ts';
import { createBeside } from './beside.ts';
import type { CellCheck } from './cell-check.ts';
import { CHECKS_OF_KEY, checksOfField } from './checks-of-field.ts';
import { compileNumberCells } from './number-cells.ts';

/** Notes what looks damaged in a row's cells, as warnings or as issues. */
export type CheckRow = (row: Row, context: RowContext) => void;

type Severities = Readonly<Record<CheckCode, Severity>>;
type CheckedColumn = Place & { readonly checks: readonly CellCheck[]; readonly severities: Severities };

/** Compiles the checks column by column: a column that can't be hit by one doesn't have it. */
export function compileChecks(
  { definition }: Pick<MappingOptions, 'definition'>,
  about: { readonly bindings: readonly Binding[]; readonly key: Place | null },
): CheckRow {
  const severities: Severities = { ...CHECKS, ...definition.checks };
  const columns = checkedColumns(about, severities);
  const checkNumbers = compileNumberCells(about, severities.number_cell);
  return (row, context) => {
    for (const column of columns) checkCell(column, context);
    if (row.kind === 'cells' && row.numeric !== undefined) checkNumbers(row.numeric, context);
  };
}

/** One finding for each cell: the first that keeps the row from being sent, else the first. */
function checkCell(at: CheckedColumn, context: RowContext): void {
  const value = context.values[at.slot];
  if (typeof value !== 'string' || value === '') return;
  for (const check of at.checks) {
    const expected = check.find(value, context);
    if (expected === null) continue;
    const add = at.severities[check.code] === 'error' ? addIssue : addWarning;
    add(context, { code: check.code, column: at.column, value, expected });
    return;
  }
}

function checkedColumns(
  { bindings, key }: { readonly bindings: readonly Binding[]; readonly key: Place | null },
  severities: Severities,
): readonly CheckedColumn[] {
  const beside = createBeside(bindings);
  const columns = new Map<number, Place & { readonly checks: CellCheck[] }>();
  const add = ({ column, slot }: Place, checks: readonly CellCheck[]) => {
    const known = columns.get(slot) ?? { column, slot, checks: [] };
    columns.set(slot, known);
    for (const check of checks) {
      if (severities[check.code] !== 'off' && !known.checks.includes(check)) known.checks.push(check);
    }
  };
  for (const binding of bindings) {
    if (binding.kind === 'constant') continue;
    add(
      binding,
      checksOfField(binding, (name) => beside(binding, name)),
    );
  }
  if (key !== null) add(key, CHECKS_OF_KEY);
  return [...columns.values()]
    .filter(({ checks }) => checks.length > 0)
    .map(({ checks, ...place }) => {
      const own = place.slot === key?.slot ? severitiesOfKey(severities) : severities;
      return { ...place, checks: errorsFirst(checks, own), severities: own };
    });
}

/** A key that a spreadsheet cut short or put an error for is as bad in text as in a number: it would be another record's. */
function severitiesOfKey(severities: Severities): Severities {
  if (severities.number_cell !== 'error') return severities;
  const raised = (severity: Severity) => (severity === 'warn' ? 'error' : severity);
  return {
    ...severities,
    scientific_notation: raised(severities.scientific_notation),
    spreadsheet_error: raised(severities.spreadsheet_error),
  };
}

function errorsFirst(checks: readonly CellCheck[], severities: Severities): readonly CellCheck[] {
  const isError = ({ code }: CellCheck) => severities[code] === 'error';
  return [...checks.filter(isError), ...checks.filter((check) => !isError(check))];
}
