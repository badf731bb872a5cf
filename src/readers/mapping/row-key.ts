/**
 * The key by which the ledger knows a row, read before the row is mapped, and what is no key:
 * nothing, what programs write for nothing, and the word for a total at the foot of a table.
 */

import { flattenRecord, memberOf, parseRecord, visitLeaves } from '../../model/json-record.ts';
import { identityOfKey, type KeyForm, normalForm } from '../../model/key-form.ts';
import type { JsonObject, JsonValue } from '../../model/request.ts';
import type { CellsRow, Row } from '../../model/row.ts';
import type { KeyOf } from '../../model/row-group.ts';
import { isTable, REPORT_COLUMN_PREFIX, type SourceInfo } from '../../model/source.ts';
import type { ColumnSlot } from './compilation.ts';
import { once, readData, remembered, wordsOf } from './read-data.ts';
import { foldName } from './request-field.ts';

/** The key as the row has it; `null` where it has none. */
export function compileKeyOf(key: ColumnSlot): KeyOf {
  return (row) => {
    const text = keyText(keyValue(row, key));
    return text === null || isTotal(text) ? null : text;
  };
}

/** What rows of one request have in common. A totals line stands for itself, not for a lost key. */
export function compileGroupOf(key: ColumnSlot, form: KeyForm): KeyOf {
  return (row) => {
    const text = keyText(keyValue(row, key));
    return text === null ? null : identityOfKey(text, form);
  };
}

function keyValue(row: Row, { column, slot }: ColumnSlot): JsonValue | undefined {
  switch (row.kind) {
    case 'cells':
      return row.cells[slot];
    case 'record':
      return memberAt(parseRecord(row.text) ?? {}, column);
    case 'unreadable':
      return undefined;
    default:
      return row satisfies never;
  }
}

/** By its name in the job definition; `null` where a table has no such column or more than one. */
export function compileReportKeyOf(name: string, source: Pick<SourceInfo, 'type' | 'columns'>): KeyOf | null {
  if (!isTable(source)) return (row) => (row.kind === 'record' ? keyText(memberRead(row.text, name)) : null);
  const exact = source.columns.filter((column) => column === name);
  const alike = source.columns.filter((column) => foldName(column) === foldName(name));
  const [column, other] = exact.length > 0 ? exact : alike;
  if (column === undefined || other !== undefined) return null;
  return compileKeyOf({ column, slot: source.columns.indexOf(column) });
}

function memberRead(text: string, name: string): JsonValue | undefined {
  const record = parseRecord(text) ?? {};
  const own = memberAt(record, name);
  if (own !== undefined) return own;
  const folded = foldName(name);
  return [...flattenRecord(record)].find(([path]) => foldName(path) === folded)?.[1];
}

function memberAt(record: JsonObject, path: string): JsonValue | undefined {
  const own = memberOf(record, path);
  if (own !== undefined || !path.includes('.')) return own;
  let found: JsonValue | undefined;
  visitLeaves(record, (leafPath, leaf) => {
    if (leafPath === path) found = leaf;
  });
  return found;
}

/** The key as text; a JSON number is a key only where it can't have lost a digit. */
export function keyText(value: JsonValue | undefined): string | null {
  if (typeof value === 'string') return isNoKey(value) ? null : value;
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : null;
}

function isNoKey(text: string): boolean {
  const bare = text.trim();
  return bare === '' || isAmong(NOBODYS, bare) || isUnseen(text);
}

function isUnseen(text: string): boolean {
  return !startsPlain(text) && normalForm(text) === '';
}

/** With printable ASCII that is no space, as nearly all keys do. */
function startsPlain(text: string): boolean {
  const first = text.charCodeAt(0);
  return first > 32 && first < 127;
}

/** Words for nothing: as they are written, in small letters, and the shapes that they have. */
function wordsForNothing(...kinds: readonly string[]) {
  return once(() => {
    const exact = new Set(kinds.flatMap((kind) => [...wordsOf(kind)]));
    const folded = new Set([...exact].map((word) => word.toLowerCase()));
    return { exact, folded, shapes: new Set([...folded].map(shapeOf)) };
  });
}

type Words = ReturnType<typeof wordsForNothing>;

/** Of programs. */
const NOBODYS = wordsForNothing('nothing');
const ANYBODYS = wordsForNothing('nothing', 'unsaid');
const LETTERS = /^\p{L}+$/u;

/** Empty, or a word for nothing as it is usually written: Null, Nan and Nil are surnames. */
export function isNothing(text: string): boolean {
  const bare = text.trim();
  if (bare === '') return true;
  if (!isAmong(ANYBODYS, bare)) return false;
  return !LETTERS.test(bare) || ANYBODYS().exact.has(bare);
}

/** Of programs or of people, in any case. */
export function isWordForNothing(text: string): boolean {
  return isAmong(ANYBODYS, text.trim());
}

const SIGNS_ALONE = /^[\p{P}\p{Z}]+$/u;

function isAmong(words: Words, bare: string): boolean {
  const { folded, shapes } = words();
  if (shapes.has(shapeOf(bare)) && folded.has(bare.toLowerCase())) return true;
  return !LETTER_OR_DIGIT.test(bare) && SIGNS_ALONE.test(bare);
}

/** As most texts begin: looking on would cost as much as all else here. */
const LETTER_OR_DIGIT = /^[A-Za-z\d]/;

/** Length and first sign, in which capitals don't count: all that most cells are asked. */
function shapeOf(text: string): number {
  return (text.length << 16) | text.charCodeAt(0) | 0x20;
}

const totalsWords = remembered(
  (table: string) => new Set(readData(table).flatMap(([, ...words]) => words.map(normalForm))),
);
const LONGEST_WORD = 40;
const COUNT = /\s*(?:\(\s*\d+\s*\)|[:=]\s*\d+)$/;
const COLON = /\s*:$/;

/** Whether a text is a word for a total, also with a colon or the number of rows behind it. */
export function isTotal(text: string): boolean {
  if (text.length > LONGEST_WORD || (/\d/.test(text) && !/[(:=]/.test(text))) return false;
  const word = normalForm(text).replace(COLON, '').replace(COUNT, '').replace(COLON, '');
  return totalsWords('totals.tsv').has(word);
}

/**
 * Of rows without a key of their own: the slot in which a row says that it is a totals line, else
 * -1: its first filled cell is such a word, and at most half are filled.
 */
export function compileTotalsCell({ columns }: Pick<SourceInfo, 'columns'>): (row: CellsRow) => number {
  const own = columns.flatMap((name, slot) => (name.startsWith(REPORT_COLUMN_PREFIX) ? [] : [slot]));
  return ({ cells }) => {
    const filled = own.filter((slot) => (cells[slot] ?? '').trim() !== '');
    const [first = -1] = filled;
    const isSparse = filled.length * 2 <= own.length;
    return isSparse && first !== -1 && isTotal(cells[first] ?? '') ? first : -1;
  };
}
