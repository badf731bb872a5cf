import { CHECKS, type CheckCode, type Severity } from '../../model/check.ts';
import type { Row } from '../../model/row.ts';
import type { Binding } from '../bind-fields.ts';
import type { MappingOptions, Place } from '../column-names.ts';
import { listConversion, stringConversion } from '../conversion.ts';
import { type FieldPath, formatFieldPath } from '../request-field.ts';
import { addIssue, addWarning, type RowContext } from '../row-context.ts';
import {
  ambiguousDate,
  type BesideOf,
  type CellCheck,
  mojibake,
  scientificNotation,
  spreadsheetError,
} from './damage.ts';
import {
  bicInvalid,
  ibanInvalid,
  lostZeroOfAccountNumber,
  lostZeroOfBankCode,
  lostZeroOfCnaps,
  lostZeroOfPostCode,
  lostZeroOfRoutingNumber,
  lostZeroOfSortCode,
  routingNumberInvalid,
  sortCodeInvalid,
} from './identifiers.ts';

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

/** The text in another field of the same object. */
type Beside = (name: string) => BesideOf;

/** Everything that is looked for in the cells of a key: any text may be one. */
const CHECKS_OF_KEY: readonly CellCheck[] = [scientificNotation, spreadsheetError, mojibake];

/** Everything that is looked for in the cells that fill a field, what explains most first. */
function checksOfField(binding: Binding, beside: Beside): readonly CellCheck[] {
  if (binding.kind === 'reference') return CHECKS_OF_KEY;
  if (binding.kind !== 'cell') return [];
  const { conversion, path } = binding;
  if (conversion.isSwappable !== undefined) return [ambiguousDate(conversion.isSwappable)];
  if (conversion === listConversion) return [spreadsheetError, mojibake];
  if (conversion !== stringConversion) return [];
  if (!isIdentifierField(path)) return [spreadsheetError, mojibake];
  return [scientificNotation, spreadsheetError, ...(byName(beside)[lastName(path)] ?? [mojibake])];
}

/** What has a form of its own can hold nothing that looks like misread text and passes. */
function byName(beside: Beside): Readonly<Record<string, readonly CellCheck[]>> {
  const country = beside('country');
  return {
    accountNumber: [lostZeroOfAccountNumber(beside('sortCodeUK')), mojibake],
    bankCode: [lostZeroOfBankCode(country), mojibake],
    bic_swift: [bicInvalid],
    bicSwift: [bicInvalid],
    cnaps: [lostZeroOfCnaps, mojibake],
    iban: [ibanInvalid],
    postCode: [lostZeroOfPostCode(country), mojibake],
    routingNumber: [lostZeroOfRoutingNumber(country), routingNumberInvalid(country)],
    sortCodeUK: [lostZeroOfSortCode, sortCodeInvalid],
  };
}

/** Finds what fills the field of that name in the same object as the binding's own field. */
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

/** Notes the cells of a workbook's row that hold a number where an identifier is meant; `numeric`: their positions. */
type CheckNumbers = (numeric: readonly number[], context: RowContext) => void;

const EXPECTED =
  'text; the cell holds a number, which has no leading zeros and keeps only 15 digits, so the identifier may be another one: format the column as text and write it again';

/** Compiles the check of identifiers and of the key. */
function compileNumberCells(
  about: { readonly bindings: readonly Binding[]; readonly key: Place | null },
  severity: Severity,
): CheckNumbers {
  if (severity === 'off') return () => undefined;
  const columns = identifierColumns(about);
  const add = severity === 'error' ? addIssue : addWarning;
  return (numeric, context) => {
    for (const slot of numeric) {
      const column = columns.get(slot);
      if (column === undefined) continue;
      add(context, { code: 'number_cell', column, value: context.values[slot], expected: EXPECTED });
    }
  };
}

function identifierColumns({
  bindings,
  key,
}: {
  readonly bindings: readonly Binding[];
  readonly key: Place | null;
}): ReadonlyMap<number, string> {
  const places = key === null ? [] : [key];
  return new Map([...bindings.flatMap(identifierPlace), ...places].map(({ slot, column }) => [slot, column]));
}

function identifierPlace(binding: Binding): readonly Place[] {
  if (binding.kind === 'reference') return [binding];
  const isText = binding.kind === 'cell' && binding.conversion === stringConversion;
  return isText && isIdentifierField(binding.path) ? [binding] : [];
}

/**
 * Fields whose digits are a name and no quantity, by the last part of their path: a spreadsheet that takes them for
 * numbers drops leading zeros and rounds the digits after the 15th.
 */
const IDENTIFIER_FIELDS: ReadonlySet<string> = new Set([
  'accountNumber',
  'bankAccountId',
  'bankCode',
  'bicSwift',
  'bic_swift',
  'cnaps',
  'crmId',
  'euVatNumber',
  'iban',
  'id',
  'licenseNumber',
  'parentId',
  'paymentId',
  'postBox',
  'postCode',
  'routingNumber',
  'sortCodeUK',
  'taxId',
  'tradeRegistryId',
  'vanityId',
  'vatNumber',
]);

/** Whether the field holds an identifier. */
function isIdentifierField(path: FieldPath): boolean {
  return IDENTIFIER_FIELDS.has(lastName(path));
}

/** The last part of a path, `''` where that is a position. */
function lastName(path: FieldPath): string {
  const last = path.at(-1);
  return typeof last === 'string' ? last : '';
}
