import { dateOfSerial, writtenDate } from './workbook-date.ts';
import type { StyleKinds } from './workbook-formats.ts';
import { plainNumeral } from './workbook-numeral.ts';
import type { SharedStrings } from './workbook-strings.ts';
import { decodeEscapes, MAX_CELL_CHARS } from './workbook-text.ts';

/** A cell as the sheet's XML has it (ECMA-376 part 1, 18.3.1.4). */
export type SheetCell = {
  /** 0 = column A. */
  readonly column: number;
  readonly type: string;
  readonly style: number;
  /** The value as written, `null` where there is none. */
  readonly value: string | null;
  readonly inline: string | null;
  readonly hasFormula: boolean;
};

/** What a cell says: text, a number in plain notation, a date in ISO 8601, `true` or `false`, nothing (`''`); or why it can't be told. */
export type CellReading =
  | { readonly kind: 'text' | 'number' | 'date' | 'boolean'; readonly text: string }
  | { readonly kind: 'problem'; readonly problem: string };

/** What cells have in common that stands elsewhere in the workbook. */
export type CellContext = {
  readonly strings: SharedStrings;
  readonly kinds: StyleKinds;
  readonly from1904: boolean;
  readonly uncalculated: boolean;
};

const NO_RESULT =
  'a formula without a calculated result: expected a value; open the workbook in Excel and save it, or paste the values';
const NO_TEXT = `a text that the workbook does not hold whole: expected at most ${MAX_CELL_CHARS} characters`;
const DURATION = 'a duration: expected it as text, or as a plain number';

/** Reads a cell exactly as the file has it. */
export function readCell(cell: SheetCell, context: CellContext): CellReading {
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
      return problem(`the error ${errorName(value)}: expected a value; mend the formula`);
    case 'd':
      return value === '' ? text('') : dated(writtenDate(value.trim()));
    case 'n':
      return numberCell(cell, value.trim(), context);
    default:
      return problem('a cell of a kind that Excel does not know: expected text, a number or a date');
  }
}

/** Some programs write an empty result where they calculated none; only a text can be empty for good. */
function lacksResult({ type, value, inline }: SheetCell): boolean {
  return type === 'inlineStr' ? inline === null : value === null || (value === '' && type !== 'str');
}

function numberCell(cell: SheetCell, value: string, context: CellContext): CellReading {
  if (value === '') return text('');
  const numeral = plainNumeral(value);
  const kind = context.kinds(cell.style);
  if (numeral === undefined) return problem('a number that is none: expected digits');
  if (kind === undefined) return problem('a format that the workbook does not define');
  if (kind === 'number') return { kind: 'number', text: numeral };
  if (kind === 'duration') return problem(DURATION);
  return dated(dateOfSerial(Number(value), kind, context.from1904));
}

function booleanCell(value: string): CellReading {
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

/** The names are a fixed list, so that no other text of the cell gets into messages. */
function errorName(value: string): string {
  return /^#[A-Z][A-Z0-9_/]{1,20}[!?]?$/.test(value) ? value : 'of a formula';
}

function text(found: string | undefined): CellReading {
  return found === undefined ? problem(NO_TEXT) : { kind: 'text', text: found };
}

function dated(reading: ReturnType<typeof writtenDate>): CellReading {
  return 'text' in reading ? { kind: 'date', text: reading.text } : problem(reading.problem);
}

function problem(what: string): CellReading {
  return { kind: 'problem', problem: what };
}
