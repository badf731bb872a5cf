/**
 * What one cell says: its text, its number without the noise of a double, its date in ISO 8601.
 * Nothing is guessed: a formula without a result, an error, a duration and a date before March 1900
 * are problems of their rows.
 */
import type { NumberKind, SharedStrings, StyleKinds } from './book.ts';
import { decodeEscapes, MAX_CELL_CHARS } from './text.ts';

/** As the sheet's XML has it (ECMA-376 part 1, 18.3.1.4). */
export type SheetCell = {
  readonly column: number;
  readonly type: string;
  readonly style: number;
  readonly value: string | null;
  readonly inline: string | null;
  readonly hasFormula: boolean;
};

/** Numbers in plain notation, zeros as shown, dates in ISO 8601, booleans `true` or `false`. */
export type CellValue =
  | { readonly kind: 'text' | 'number' | 'date' | 'boolean'; readonly text: string }
  | { readonly kind: 'problem'; readonly problem: string };

export type CellContext = {
  readonly strings: SharedStrings;
  readonly kinds: StyleKinds;
  readonly from1904: boolean;
  readonly uncalculated: boolean;
};

export function readCell(cell: SheetCell, context: CellContext): CellValue {
  if (cell.hasFormula && (context.uncalculated || lacksResult(cell))) return problem(NO_RESULT);
  const value = cell.value ?? '';
  switch (cell.type) {
    case 's':
      return value === '' ? text('') : text(sharedText(value, context));
    case 'inlineStr':
      return text(checkedText(cell.inline ?? ''));
    case 'str':
      return text(checkedText(value));
    case 'b':
      return booleanCell(value.trim());
    case 'e':
      return problem(`the error ${errorName(value)}: expected a value; correct the formula`);
    case 'd':
      return value === '' ? text('') : writtenDate(value.trim());
    case 'n':
      return numberCell(cell, value.trim(), context);
    default:
      return problem('a cell of a kind that Excel does not know: expected text, a number or a date');
  }
}

/** Some programs write an empty result where they calculated none; only a text may be empty. */
function lacksResult({ type, value, inline }: SheetCell): boolean {
  return type === 'inlineStr' ? inline === null : value === null || (value === '' && type !== 'str');
}

function numberCell(cell: SheetCell, value: string, context: CellContext): CellValue {
  if (value === '') return text('');
  const numeral = plainNumeral(value);
  const kind = context.kinds(cell.style);
  if (numeral === undefined) return problem('a number that is none: expected digits');
  if (kind === undefined) return problem('a format that the workbook does not define');
  if (typeof kind === 'number')
    return { kind: 'number', text: /^\d+$/.test(numeral) ? numeral.padStart(kind, '0') : numeral };
  if (kind === 'duration') return problem(DURATION);
  return dateOfSerial(Number(value), kind, context.from1904);
}

function booleanCell(value: string): CellValue {
  if (value === '') return text('');
  if (value === '1' || value === 'true') return { kind: 'boolean', text: 'true' };
  if (value === '0' || value === 'false') return { kind: 'boolean', text: 'false' };
  return problem('a boolean that is none');
}

function sharedText(value: string, { strings }: CellContext): string | undefined {
  return /^\d{1,8}$/.test(value.trim()) ? strings(Number(value)) : undefined;
}

function checkedText(raw: string): string | undefined {
  const decoded = decodeEscapes(raw);
  return decoded.length > MAX_CELL_CHARS || !decoded.isWellFormed() ? undefined : decoded;
}

/** Only text in the form of an error's name gets into messages. */
function errorName(value: string): string {
  return /^#[A-Z][A-Z0-9_/]{1,20}[!?]?$/.test(value) ? value : 'of a formula';
}

function text(found: string | undefined): CellValue {
  return found === undefined ? problem(NO_TEXT) : { kind: 'text', text: found };
}

function date(iso: string): CellValue {
  return { kind: 'date', text: iso.replace(/T00:00(?::00(?:\.0+)?)?$/, '').replace(/\.0+$/, '') };
}

function problem(what: string): CellValue {
  return { kind: 'problem', problem: what };
}

const NO_RESULT =
  'a formula without a calculated result: expected a value; open the workbook in Excel and save it, or paste the values';

const NO_TEXT = `a text that the workbook does not hold whole: expected at most ${MAX_CELL_CHARS} characters`;
const DURATION = 'a duration: expected it as text, or as a plain number';

/**
 * `undefined`: no number. Digits are the file's own, except those that only spell out a double:
 * 1.1000000000000001 and 1.1 are the same double, and 1.1 is what was typed.
 */
function plainNumeral(raw: string): string | undefined {
  const plain = withoutExponent(raw);
  if (plain === undefined || !plain.includes('.')) return plain;
  if (plain.replaceAll(/[-.]/g, '').replace(/^0+/, '').length <= SAFE_DIGITS) return plain;
  const value = Number(plain);
  const spelled = withoutExponent(value.toPrecision(EXCEL_DIGITS));
  return trimmed(spelled) === trimmed(plain) ? withoutExponent(String(value)) : plain;
}

const NUMERAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/;

/** No double needs more; a longer numeral is no number of a workbook. */
const MAX_DIGITS = 400;

/** Significant digits of a double as Excel writes it: 1.1 as 1.1000000000000001. */
const EXCEL_DIGITS = 17;

/** Significant digits that any double keeps (IEEE 754); Excel shows no more. */
const SAFE_DIGITS = 15;

/** Moves the point instead of multiplying, so that no digit changes. */
function withoutExponent(raw: string): string | undefined {
  const match = raw.length > MAX_DIGITS ? null : NUMERAL.exec(raw);
  if (match === null) return undefined;
  const [, signed, whole = '', fraction = '', power] = match;
  const sign = signed === '-' ? '-' : '';
  if (whole + fraction === '' || Math.abs(Number(power ?? 0)) > MAX_DIGITS) return undefined;
  if (power === undefined && whole !== '')
    return fraction === '' ? sign + whole : `${sign}${whole}.${fraction}`;
  return sign + shifted(whole + fraction, whole.length + Number(power ?? 0));
}

/** `point` may lie outside the digits. */
function shifted(digits: string, point: number): string {
  const padded = digits.padEnd(point, '0');
  const whole = point > 0 ? padded.slice(0, point) : '';
  const fraction = point > 0 ? padded.slice(point) : '0'.repeat(-point) + digits;
  const front = whole.replace(/^0+(?=\d)/, '') || '0';
  return fraction === '' || /^0+$/.test(fraction) ? front : `${front}.${fraction}`;
}

function trimmed(plain: string | undefined): string | undefined {
  return plain?.includes('.') ? plain.replace(/\.?0+$/, '') : plain;
}

function dateOfSerial(serial: number, kind: NumberKind, from1904: boolean): CellValue {
  const ms = Math.round(serial * DAY_MS);
  if (serial >= 0 && serial < 1 && kind === 'time') return date(isoOf(ms % DAY_MS).slice(11));
  if (serial < (from1904 ? 0 : FIRST_DAY_1900)) return problem(TOO_EARLY);
  const moment = (from1904 ? EPOCH_1904 : EPOCH_1900) + ms;
  return moment < END_OF_9999 ? date(isoOf(moment)) : problem(TOO_LATE);
}

function isoOf(moment: number): string {
  return new Date(moment).toISOString().slice(0, -1);
}

function writtenDate(text: string): CellValue {
  return ISO.test(text) ? date(text) : problem(NOT_ISO);
}

const ISO = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/;

const DAY_MS = 86_400_000;

/** Day 0 since 1900, right from March on: Excel counts a 29 February 1900, which never was. */
const EPOCH_1900 = Date.UTC(1899, 11, 30);
const EPOCH_1904 = Date.UTC(1904, 0, 1);
const FIRST_DAY_1900 = 61;
const END_OF_9999 = Date.UTC(10_000, 0, 1);
const TOO_EARLY = 'a date before 1 March 1900, which programs count differently: expected it as text';
const TOO_LATE = 'a date after the year 9999: expected a real date';
const NOT_ISO = 'a date that is not written as ISO 8601: expected a real date';
