/**
 * Looks for values that a spreadsheet, an encoding or a copy has probably altered. The definition's
 * `checks` say which findings are issues and which are warnings; where they say nothing, damage in
 * an account is an issue, since money goes there. No finding says what a cell holds.
 */

import {
  type CheckSettings,
  type JobDefinition,
  operationOf,
  SETTING_OF,
} from '../../../config/job-definition.ts';
import type { CheckCode, IsRight, Severity } from '../../../model/issue.ts';
import { isJsonList } from '../../../model/json-record.ts';
import type { JsonValue } from '../../../model/request.ts';
import type { SourceInfo } from '../../../model/source.ts';
import { isOwn } from '../../../operations/own.ts';
import type { Binding } from '../bind-fields.ts';
import type { ColumnSlot, Compilation } from '../compilation.ts';
import { countryCode, likelyCountry } from '../countries.ts';
import { wordsOf } from '../read-data.ts';
import { type FieldPath, formatFieldPath, lastName } from '../request-field.ts';
import { addIssue, addWarning, type RowContext } from '../row-context.ts';
import {
  type Beside,
  type BesideOf,
  type CellCheck,
  escapedText,
  exportMark,
  isPlain,
  mojibake,
  rendering,
  scientificNotation,
  spreadsheetError,
  unseenSign,
  wordForNothing,
} from './damage.ts';
import { identifierChecks, isIdentifierField } from './identifiers.ts';

export type CheckRow = (context: RowContext, isRight: IsRight) => void;

type Checking = Pick<JobDefinition, 'checks' | 'keyForm' | 'operation' | 'request'>;
type SeverityOf = (code: CheckCode) => Severity;
type CheckedColumn = ColumnSlot & {
  readonly checks: readonly CellCheck[];
  /** Those of them that may find something in a plain text. */
  readonly ofPlain: readonly CellCheck[];
  readonly severityOf: SeverityOf;
};

export function compileChecks(
  { definition, source }: Pick<Compilation, 'definition' | 'source'>,
  bindings: readonly Binding[],
  key: ColumnSlot | null,
): CheckRow {
  const columns = checkedColumns(bindings, key, definition);
  const checkTyped = compileTypedCells({ ...definition, uneven: source.uneven }, bindings, key);
  return (context, isRight) => {
    const looking = { context, isRight };
    for (const column of columns) checkCell(column, looking);
    checkTyped(looking);
  };
}

type Looking = { readonly context: RowContext; readonly isRight: IsRight };

/** Notes one finding per cell: the first that keeps the row from being sent, else the first. */
function checkCell(at: CheckedColumn, looking: Looking): void {
  const value = looking.context.values[at.slot];
  if (isJsonList(value)) for (const item of value) checkText(at, item, looking);
  else checkText(at, value, looking);
}

function checkText(at: CheckedColumn, value: JsonValue | undefined, { context, isRight }: Looking): void {
  if (typeof value !== 'string' || value === '') return;
  for (const check of isPlain(value) ? at.ofPlain : at.checks) {
    const expected = check.find(value, context);
    if (expected === null) continue;
    const { code } = check;
    const isError = severityOf(check, at) === 'error';
    const isLifted = isError && isRight({ row: context.row, code, value });
    const add = isError && !isLifted ? addIssue : addWarning;
    add(context, { code, column: at.column, value, expected });
    // Right is what this check found: another may find more.
    if (!isLifted) return;
  }
}

function severityOf(check: CellCheck, at: Pick<CheckedColumn, 'severityOf'>): Severity {
  return check.isWarning === true ? 'warn' : at.severityOf(check.code);
}

function checkedColumns(
  bindings: readonly Binding[],
  key: ColumnSlot | null,
  definition: Checking,
): readonly CheckedColumn[] {
  const { checks: settings } = definition;
  const operation = operationOf(definition);
  const beside = createBeside(bindings);
  const columns = new Map<number, ColumnSlot & { readonly checks: CellCheck[]; isOfAccount: boolean }>();
  const add = ({ column, slot }: ColumnSlot, checks: readonly CellCheck[], isOfAccount: boolean) => {
    const known = columns.get(slot) ?? { column, slot, checks: [], isOfAccount };
    columns.set(slot, known);
    known.isOfAccount ||= isOfAccount;
    for (const check of checks) {
      // What other operations call a country or a date is not known.
      const isForeign = isOwn(operation) && check.code === 'value_implausible';
      const isOff = isForeign || settings[SETTING_OF[check.code]] === 'off';
      if (!isOff && !known.checks.includes(check)) known.checks.push(check);
    }
  };
  for (const binding of bindings) {
    if (binding.kind === 'constant') continue;
    const checks = checksOfField(binding, beside(binding));
    const isOfAccount = binding.path[0] === ACCOUNTS;
    const joined = binding.kind === 'cell' && binding.parts.length > 1 ? binding.parts : [];
    // Each joined cell has its own damage.
    const isOfPart = ({ code }: CellCheck) => joined.length > 0 && CODES_OF_KEY.has(code);
    const ofAll = checks.filter((check) => !isOfPart(check));
    add(binding, ofAll, isOfAccount);
    for (const part of joined) add(part, checks.filter(isOfPart), isOfAccount);
  }
  if (key !== null) add(key, CHECKS_OF_KEY, false);
  const checked = [...columns.values()].filter(({ checks }) => checks.length > 0);
  return checked.map(({ checks, isOfAccount, ...place }) => {
    const isKey = place.slot === key?.slot;
    const at = { ...place, severityOf: severitiesIn(settings, { isOfAccount, isKey }) };
    const errors = checks.filter((check) => severityOf(check, at) === 'error');
    const others = checks.filter((check) => severityOf(check, at) !== 'error');
    const all = [...errors, ...others];
    return { ...at, checks: all, ofPlain: all.filter((check) => check.passesPlain !== true) };
  });
}

const ACCOUNTS = 'accounts';

/** In a key these count like a number cell: it would be another record's. */
const AS_NUMBER_CELL: ReadonlySet<CheckCode> = new Set([
  'scientific_notation',
  'spreadsheet_error',
  'rendering',
]);

/** What may be so by right. */
const WARNED: ReadonlySet<CheckCode> = new Set([
  'lost_leading_zero',
  'account_implausible',
  'value_implausible',
  'word_for_nothing',
  'unseen_sign',
]);

function severitiesIn(
  settings: CheckSettings,
  { isOfAccount, isKey }: { readonly isOfAccount: boolean; readonly isKey: boolean },
): SeverityOf {
  return (code) => {
    const unset = isOfAccount && !WARNED.has(code) ? 'error' : 'warn';
    const severity = settings[SETTING_OF[code]] ?? unset;
    const isRaised = isKey && settings.number_cell === 'error' && AS_NUMBER_CELL.has(code);
    return isRaised && severity === 'warn' ? 'error' : severity;
  };
}

const AS_NUMBERS = [scientificNotation, spreadsheetError, rendering];
const CHECKS_OF_KEY: readonly CellCheck[] = [...AS_NUMBERS, exportMark, mojibake, unseenSign];
const CODES_OF_KEY = new Set(CHECKS_OF_KEY.map(({ code }) => code));

function checksOfField(binding: Binding, beside: Beside): readonly CellCheck[] {
  if (binding.kind === 'reference') return CHECKS_OF_KEY;
  if (binding.kind !== 'cell') return [];
  const { isNamed } = binding.conversion;
  const checks = checksOfCell(binding, beside);
  if (isNamed === undefined) return checks;
  return checks.map(({ find, ...check }) => ({
    ...check,
    find: (text, context) => (isNamed(text) ? null : find(text, context)),
  }));
}

type CellBinding = Extract<Binding, { kind: 'cell' }>;

function checksOfCell(binding: CellBinding, beside: Beside): readonly CellCheck[] {
  const { conversion, path } = binding;
  const isText = conversion.kind === 'text';
  const words = [exportMark, escapedText];
  if (isText) words.push(unseenSign);
  if (conversion.takesWords !== true) words.push(wordForNothing);
  if (isText && isIdentifierField(path))
    return [...AS_NUMBERS, ...identifierChecks(path, beside, [mojibake]), ...words];
  if (conversion.kind === undefined) return valueChecks(binding);
  return [spreadsheetError, rendering, mojibake, ...valueChecks(binding), ...words];
}

/** Of values that are written well and still can't be right: by what would be sent of the text. */
function valueChecks({ path, conversion, slot }: CellBinding): readonly CellCheck[] {
  const [code, problemOf] = VALUES.get(lastName(path)) ?? [];
  if (code === undefined || problemOf === undefined) return [];
  const find: CellCheck['find'] = (text, { typed }) => {
    const { fromText } = (typed.includes(slot) ? conversion.typed : undefined) ?? conversion;
    return problemOf(fromText(text), text);
  };
  return [{ code, find }];
}

type ProblemOf = (sent: JsonValue | undefined, text: string) => string | null;

const currencyProblem: ProblemOf = (sent) => {
  const known = wordsOf('currency');
  const isUnknown = (code?: JsonValue) => typeof code === 'string' && !known.has(code.trim().toUpperCase());
  const hasUnknown = isJsonList(sent) ? sent.some(isUnknown) : isUnknown(sent);
  return hasUnknown ? CURRENCY : null;
};

const CURRENCY = 'a currency of ISO 4217 in three letters, such as EUR';

const dayProblem: ProblemOf = (sent, text) => {
  if (typeof sent !== 'string' || !/^\d{4}-\d\d-\d\d/.test(sent)) return null;
  if (sent < '1800' || isAhead(sent)) return PAST;
  return !sent.endsWith('T00:00:00.000Z') && isMidnight(sent, text) ? MOVED : null;
};

/** What has come is behind for good, so that the clock is read for few of the cells. */
let behind = '';

function isAhead(sent: string): boolean {
  if (sent <= behind) return false;
  behind = new Date(Date.now() + 86_400_000).toISOString(); // somewhere on earth it is
  return sent > behind;
}

/** By the clock of the offset that the text ends with. */
function isMidnight(sent: string, text: string): boolean {
  const [, sign = '', hours = '', minutes = '0'] = OFFSET.exec(text) ?? [];
  const ahead = Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes));
  return sign !== '' && (Date.parse(sent) + ahead * 60_000) % 86_400_000 === 0;
}

const OFFSET = /([+-])(0\d|1[0-4]):?([0-5]\d)?$/;

const PAST =
  'a date from 1800 until today; the year is probably wrong, ' + 'or the date is read in a wrong order';
const MOVED =
  'a day alone, such as 2015-01-31: midnight of another time zone is another hour, or day, in UTC';

/** Sent all the same, since the service's list of countries is its own. */
const countryProblem: ProblemOf = (sent, text) => {
  if (sent !== text) return null;
  const code = countryCode(text);
  if (code !== undefined) return /^\w{2,3}$/.test(text) ? null : COUNTRY;
  const likely = likelyCountry(text);
  return likely === undefined ? NO_COUNTRY : `${NO_COUNTRY}; ${likely} is probably meant`;
};

const NO_COUNTRY = 'a country of ISO 3166 in two or three letters, such as DEU';
const COUNTRY =
  'the code of a country, since nothing says that the service takes its name; ' +
  'with `as: country` under the field in the job definition the name becomes three letters';

const VALUES = new Map<string, readonly [CheckCode, ProblemOf]>([
  ['currencies', ['account_implausible', currencyProblem]],
  ['currency', ['account_implausible', currencyProblem]],
  ['shortfallCurrencyCode', ['account_implausible', currencyProblem]],
  ['incorporationDate', ['value_implausible', dayProblem]],
  ['country', ['value_implausible', countryProblem]],
]);

function createBeside(bindings: readonly Binding[]): (binding: Binding) => Beside {
  const byPlace = new Map(bindings.map((binding) => [formatFieldPath(binding.path), binding]));
  return ({ path }) => ({
    of: (name) => textOf(byPlace.get(formatFieldPath([...path.slice(0, -1), name]))),
    at: (place) => textOf(byPlace.get(place)),
  });
}

function textOf(binding: Binding | undefined): BesideOf {
  if (binding === undefined) return () => '';
  if (binding.kind === 'constant') return () => String(binding.value);
  const fallback = (binding.kind === 'cell' && binding.fallback) || '';
  return ({ values }) => {
    const value = values[binding.slot];
    const isText = typeof value === 'string' && binding.kind === 'cell';
    const sent = isText && binding.conversion.fromText(value);
    return typeof sent === 'string' && sent !== '' ? sent : String(fallback);
  };
}

const TEXT =
  'text; the cell holds a number, a date or a boolean, so digits may be lost: ' +
  'write it as text, or, where each is right, set `numbers: right` under the field';

const WHOLE = 'text; zeros that were typed before this number are lost, if any';

/** A key's identity passes over leading zeros, so that whole numbers do no harm in it. */
function compileTypedCells(
  { checks, keyForm, uneven }: Checking & Pick<SourceInfo, 'uneven'>,
  bindings: readonly Binding[],
  key: ColumnSlot | null,
): (looking: Looking) => void {
  const { number_cell: severity } = checks;
  if (severity === 'off') return () => undefined;
  const places = [...bindings.flatMap(identifierPlace), ...(key === null ? [] : [key])];
  const columns = new Map(places.map(({ slot, column }) => [slot, column]));
  const isMore = (one: Binding) => one.kind === 'reference' || isRefusedAsNumber(one.path);
  const others = bindings.filter(isMore).flatMap(identifierPlace);
  const isRight = (slot: number) =>
    bindings.some((one) => one.kind === 'cell' && one.slot === slot && one.numbers === 'right');
  const isLoose = keyForm === 'loose' && others.every(({ slot }) => slot !== key?.slot);
  const isTaken = (slot: number) => isLoose && slot === key?.slot;
  // Of keys of one length nothing is missing.
  const isNoDamage = (slot: number) => isRight(slot) || (isTaken(slot) && uneven?.includes(slot) === false);
  const look = (place: ColumnSlot, { context, isRight }: Looking) => {
    const value = context.values[place.slot];
    const isNumber = isWhole(value);
    if (isNumber && isNoDamage(place.slot)) return;
    const isKey = isNumber && isTaken(place.slot);
    const isTold = isKey || severity === 'warn';
    const found = { row: context.row, code: 'number_cell', value: String(value ?? '') } as const;
    const add = isTold || isRight(found) ? addWarning : addIssue;
    add(context, { code: 'number_cell', column: place.column, value, expected: isKey ? WHOLE : TEXT });
  };
  return (looking) => {
    for (const slot of looking.context.typed) {
      const column = columns.get(slot);
      if (column !== undefined) look({ column, slot }, looking);
    }
  };
}

/** Those that a key often is may be a workbook's whole number. */
export function isRefusedAsNumber(path: FieldPath): boolean {
  return isIdentifierField(path) && !['crmId', 'id', 'paymentId'].includes(lastName(path));
}

/** With a zero before it, it is shown so on purpose. */
function isWhole(value: JsonValue | undefined): boolean {
  if (typeof value !== 'string' || !/^(?:0|[1-9]\d*)$/.test(value)) return false;
  return Number.isSafeInteger(Number(value));
}

function identifierPlace(binding: Binding): readonly ColumnSlot[] {
  if (binding.kind === 'reference') return [binding];
  const isText = binding.kind === 'cell' && binding.conversion.kind === 'text';
  return isText && isIdentifierField(binding.path) ? [binding] : [];
}
