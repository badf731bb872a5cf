/**
 * Looks for values that a spreadsheet, an encoding or a copy has probably altered. The definition's
 * `checks` say which findings are issues and which are warnings; where they say nothing, damage in
 * an account is an issue, since money goes there. No finding says what a cell holds.
 */

import { type CheckSettings, type JobDefinition, SETTING_OF } from '../../config/job-definition.ts';
import type { CheckCode, Severity } from '../../model/issue.ts';
import type { Row } from '../../model/row.ts';
import type { Binding } from '../bind-fields.ts';
import type { ColumnSlot } from '../compilation.ts';
import { formatFieldPath } from '../request-field.ts';
import { addIssue, addWarning, type RowContext } from '../row-context.ts';
import { type BesideOf, type CellCheck, mojibake, scientificNotation, spreadsheetError } from './damage.ts';
import { identifierChecks, isIdentifierField } from './identifiers.ts';

export type CheckRow = (row: Row, context: RowContext) => void;

type SeverityOf = (code: CheckCode) => Severity;
type CheckedColumn = ColumnSlot & { readonly checks: readonly CellCheck[]; readonly severityOf: SeverityOf };

export function compileChecks(
  definition: Pick<JobDefinition, 'checks'>,
  bindings: readonly Binding[],
  key: ColumnSlot | null,
): CheckRow {
  const columns = checkedColumns(bindings, key, definition.checks);
  const checkTyped = compileTypedCells(identifierColumns(bindings, key), definition.checks.number_cell);
  return (row, context) => {
    for (const column of columns) checkCell(column, context);
    if (row.kind === 'cells' && row.typed !== undefined) checkTyped(row.typed, context);
  };
}

/** Notes one finding per cell: the first that keeps the row from being sent, else the first. */
function checkCell(at: CheckedColumn, context: RowContext): void {
  const value = context.values[at.slot];
  if (typeof value !== 'string' || value === '') return;
  for (const check of at.checks) {
    const expected = check.find(value, context);
    if (expected === null) continue;
    const add = at.severityOf(check.code) === 'error' ? addIssue : addWarning;
    add(context, { code: check.code, column: at.column, value, expected });
    return;
  }
}

function checkedColumns(
  bindings: readonly Binding[],
  key: ColumnSlot | null,
  settings: CheckSettings,
): readonly CheckedColumn[] {
  const beside = createBeside(bindings);
  const columns = new Map<number, ColumnSlot & { readonly checks: CellCheck[]; isOfAccount: boolean }>();
  const add = ({ column, slot }: ColumnSlot, checks: readonly CellCheck[], isOfAccount: boolean) => {
    const known = columns.get(slot) ?? { column, slot, checks: [], isOfAccount };
    columns.set(slot, known);
    known.isOfAccount ||= isOfAccount;
    for (const check of checks) {
      const isOff = settings[SETTING_OF[check.code]] === 'off';
      if (!isOff && !known.checks.includes(check)) known.checks.push(check);
    }
  };
  for (const binding of bindings) {
    if (binding.kind === 'constant') continue;
    const checks = checksOfField(binding, (name) => beside(binding, name));
    add(binding, checks, binding.path[0] === ACCOUNTS);
  }
  if (key !== null) add(key, CHECKS_OF_KEY, false);
  return [...columns.values()]
    .filter(({ checks }) => checks.length > 0)
    .map(({ checks, isOfAccount, ...place }) => {
      const severityOf = severitiesIn(settings, { isOfAccount, isKey: place.slot === key?.slot });
      return { ...place, checks: errorsFirst(checks, severityOf), severityOf };
    });
}

const ACCOUNTS = 'accounts';

/** In a key these count like a number cell: it would be another record's. */
const AS_NUMBER_CELL: ReadonlySet<CheckCode> = new Set(['scientific_notation', 'spreadsheet_error']);

function severitiesIn(
  settings: CheckSettings,
  { isOfAccount, isKey }: { readonly isOfAccount: boolean; readonly isKey: boolean },
): SeverityOf {
  return (code) => {
    // A code may be that short by right.
    const unset = isOfAccount && code !== 'lost_leading_zero' ? 'error' : 'warn';
    const severity = settings[SETTING_OF[code]] ?? unset;
    const isRaised = isKey && settings.number_cell === 'error' && AS_NUMBER_CELL.has(code);
    return isRaised && severity === 'warn' ? 'error' : severity;
  };
}

function errorsFirst(checks: readonly CellCheck[], severityOf: SeverityOf): readonly CellCheck[] {
  const isError = ({ code }: CellCheck) => severityOf(code) === 'error';
  return [...checks.filter(isError), ...checks.filter((check) => !isError(check))];
}

const CHECKS_OF_KEY: readonly CellCheck[] = [scientificNotation, spreadsheetError, mojibake];

function checksOfField(binding: Binding, beside: (name: string) => BesideOf): readonly CellCheck[] {
  if (binding.kind === 'reference') return CHECKS_OF_KEY;
  if (binding.kind !== 'cell') return [];
  const { isNamed } = binding.conversion;
  const checks = checksOfCell(binding, beside);
  if (isNamed === undefined) return checks;
  return checks.map(({ code, find }) => ({
    code,
    find: (text, context) => (isNamed(text) ? null : find(text, context)),
  }));
}

function checksOfCell(
  { conversion, path }: Extract<Binding, { kind: 'cell' }>,
  beside: (name: string) => BesideOf,
): readonly CellCheck[] {
  if (conversion.kind === 'list') return [spreadsheetError, mojibake];
  if (conversion.kind !== 'text') return [];
  if (!isIdentifierField(path)) return [spreadsheetError, mojibake];
  return [scientificNotation, spreadsheetError, ...identifierChecks(path, beside, [mojibake])];
}

function createBeside(bindings: readonly Binding[]): (binding: Binding, name: string) => BesideOf {
  const byPlace = new Map(bindings.map((binding) => [formatFieldPath(binding.path), binding]));
  return ({ path }, name) => textOf(byPlace.get(formatFieldPath([...path.slice(0, -1), name])));
}

function textOf(binding: Binding | undefined): BesideOf {
  if (binding === undefined) return () => '';
  if (binding.kind === 'constant') return () => String(binding.value);
  return ({ values }) => {
    const value = values[binding.slot];
    return typeof value === 'string' ? value : '';
  };
}

const TEXT =
  'text; the cell holds a number, a date or a boolean, so digits may be lost: format the column as text and write it again';

function compileTypedCells(
  columns: ReadonlyMap<number, string>,
  severity: Severity,
): (typed: readonly number[], context: RowContext) => void {
  if (severity === 'off') return () => undefined;
  const add = severity === 'error' ? addIssue : addWarning;
  return (typed, context) => {
    for (const slot of typed) {
      const column = columns.get(slot);
      if (column === undefined) continue;
      add(context, { code: 'number_cell', column, value: context.values[slot], expected: TEXT });
    }
  };
}

function identifierColumns(
  bindings: readonly Binding[],
  key: ColumnSlot | null,
): ReadonlyMap<number, string> {
  const places = key === null ? [] : [key];
  return new Map([...bindings.flatMap(identifierPlace), ...places].map(({ slot, column }) => [slot, column]));
}

function identifierPlace(binding: Binding): readonly ColumnSlot[] {
  if (binding.kind === 'reference') return [binding];
  const isText = binding.kind === 'cell' && binding.conversion.kind === 'text';
  return isText && isIdentifierField(binding.path) ? [binding] : [];
}
