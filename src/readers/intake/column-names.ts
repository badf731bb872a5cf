/**
 * What a header is, in CSV files and workbooks alike: whether a row further down looks more like
 * the header than the first, and what is wrong with its names.
 */
import { REPORT_COLUMN_PREFIX, REPORT_ROW_COLUMN, type ReadingChoice } from '../../model/source.ts';

export function looksLikeHeader(cells: readonly string[]): boolean {
  if (cells.length < 2) return false;
  const names = new Set(cells.map((cell) => cell.trim().toLowerCase()));
  return names.size === cells.length && [...names].every(looksLikeName);
}

function looksLikeName(cell: string): boolean {
  return (
    cell.length <= LONGEST_NAME && /\p{L}/u.test(cell) && !SEPARATORS.test(cell) && !looksLikeValue(cell)
  );
}

const SEPARATORS = /[;|\t]/;
const LONGEST_NAME = 80;

function looksLikeValue(cell: string): boolean {
  return /^[\s+-]*\d/.test(cell) || cell.includes('@') || digitsIn(cell) > MOST_DIGITS * cell.length;
}

function digitsIn(cell: string): number {
  let digits = 0;
  for (let at = 0; at < cell.length; at += 1) {
    const code = cell.charCodeAt(at);
    if (code >= ZERO && code <= NINE) digits += 1;
  }
  return digits;
}

const ZERO = 48;
const NINE = 57;

const MOST_DIGITS = 0.3;

/** A damaged record has no cells. */
export type SampleRecord = { readonly line: number; readonly cells: readonly string[] };

/**
 * The record that looks like the header where the first is clearly a title, else `null`. All
 * records above it must have fewer cells; most below must have as many as it or, in rows that a
 * spreadsheet pads with empty cells, more than the title. Padding doesn't count.
 */
export function headerBelow(records: readonly SampleRecord[]): SampleRecord | null {
  const [title] = records;
  if (title === undefined) return null;
  const isPadded = title.cells.length > Math.max(1, filled(title));
  return isPadded ? paddedHeader(records, title) : plainHeader(records, title);
}

function plainHeader(records: readonly SampleRecord[], title: SampleRecord): SampleRecord | null {
  const widthOf = ({ cells }: SampleRecord) => cells.length;
  const isHeader = ({ record, width, below }: Candidate) =>
    isTable(below, (one) => one === width, MOST) && hasNames(record);
  return candidates(records, widthOf, widthOf(title)).find(isHeader)?.record ?? null;
}

function paddedHeader(records: readonly SampleRecord[], title: SampleRecord): SampleRecord | null {
  const titled = filled(title);
  const mayBeHeader = looksLikeHeader(title.cells.slice(0, titled));
  // One cell more is rather a column without a name than the real header.
  const least = mayBeHeader ? titled + 1 : titled;
  // Right of a label and its value, columns may be empty in many rows.
  const share = titled > 1 && !mayBeHeader ? HALF : MOST;
  const isHeader = ({ record, below }: Candidate) =>
    isTable(below, (width) => width > titled, share) && hasNames(record);
  // A title may have two cells, such as a label and its value: the widest record is the header.
  return candidates(records, filled, least).findLast(isHeader)?.record ?? null;
}

/** `below`: the widths of all records below it. */
type Candidate = { readonly record: SampleRecord; readonly width: number; readonly below: readonly number[] };

/** Records near the beginning that are wider than `least` and than all above them. */
function candidates(
  records: readonly SampleRecord[],
  widthOf: (record: SampleRecord) => number,
  least: number,
): readonly Candidate[] {
  const widths = records.map(widthOf);
  const found: Candidate[] = [];
  let widest = least;
  for (const [at, record] of records.slice(0, MOST_TITLES).entries()) {
    const width = widthOf(record);
    if (width <= widest) continue;
    widest = width;
    found.push({ record, width, below: widths.slice(at + 1) });
  }
  return found;
}

function isTable(below: readonly number[], fits: (width: number) => boolean, share: number): boolean {
  const fitting = below.filter(fits).length;
  return fitting > 0 && fitting >= share * below.length;
}

function hasNames({ cells }: SampleRecord): boolean {
  return looksLikeHeader(cells.filter((cell) => cell !== ''));
}

export function titleProblem(unit: 'line' | 'row', title: number, header: number): string {
  return (
    `${unit} ${title}: doesn't look like a header, but ${unit} ${header} does: expected column names first; ` +
    `set format.header: ${header}, or format.header: ${title} if ${unit} ${title} is the header`
  );
}

/** The row that looks like the header, and the one that stands there first. */
export function headerChoices(...rows: readonly SampleRecord[]): readonly ReadingChoice[] {
  return rows.map(({ line, cells }) => {
    return { setting: 'header', value: String(line), shows: cells.filter((cell) => cell !== '') };
  });
}

/** Below more records, a header is another table's. */
const MOST_TITLES = 20;

/** Share of the records below a header that must fit it before those above count as titles. */
const MOST = 0.8;

/** Share that is enough below a label and its value. */
const HALF = 0.5;

function filled({ cells }: SampleRecord): number {
  return 1 + cells.findLastIndex((cell) => cell !== '');
}

/**
 * `labelOf`: a column's label in messages. Missing and repeated names are checked where a job needs
 * the column (mapping/); a report's own columns are always needed.
 */
export function nameProblems(names: readonly string[], labelOf: (at: number) => string): readonly string[] {
  const problem = tooManyNames(names);
  if (problem !== null) return [problem];
  const torn = tornReport(names);
  if (torn !== null) return [torn];
  if (names.every((name) => name === ''))
    return ['the header has no names: expected the name of a column in at least one cell'];
  const seen = new Map<string, number>();
  return names.flatMap((name, at) => {
    const first = seen.get(name);
    seen.set(name, first ?? at);
    if (isForbiddenName(name)) {
      return [
        `column ${labelOf(at)} is named "${name}", which is refused: expected ` +
          'no __proto__, constructor or prototype in a name; rename it',
      ];
    }
    if (first === undefined || !name.startsWith(REPORT_COLUMN_PREFIX)) return [];
    return [
      `columns ${labelOf(first)} and ${labelOf(at)} are both named ` +
        `"${name}": expected every name once; rename or remove one`,
    ];
  });
}

/**
 * A report without the column it is known by: cells would keep their formula guards, so the key of
 * a row in doubt would be another one, and its record created twice.
 */
function tornReport(names: readonly string[]): string | null {
  if (names.includes(REPORT_ROW_COLUMN)) return null;
  const left = names.find((name) => name.startsWith(REPORT_COLUMN_PREFIX));
  return left === undefined
    ? null
    : `has the column "${left}" of a report, but no "${REPORT_ROW_COLUMN}": expected a report's own columns whole; take the file from the report again`;
}

/** They are kept with the run and shown in messages. */
const MOST_NAME_CHARS = 1_000_000;
const MOST_NAMES = 10_000;

export function tooManyNames(names: readonly string[]): string | null {
  const chars = names.join('').length;
  return names.length <= MOST_NAMES && chars <= MOST_NAME_CHARS
    ? null
    : `it has ${names.length} columns with names of ${chars} characters: expected at most ${MOST_NAMES} and ${MOST_NAME_CHARS}`;
}

export function isForbiddenName(name: string): boolean {
  return name.length >= '__proto__'.length && FORBIDDEN.test(name);
}

const FORBIDDEN = /(?:^|[.[\]])(?:__proto__|constructor|prototype)(?:$|[.[\]])/;

/**
 * Whether a row is a header that stands within a table. `same`: the table's own, as sheets made by
 * hand repeat it. `other`: half of it or more are its names, in another order or number or beside
 * what may be names, so that what follows stands under other names. A table of one column may well
 * hold its own name.
 */
export function createHeaderLook(
  columns: readonly string[],
): (cells: readonly string[]) => 'same' | 'other' | null {
  const own = columns.map(nameRead);
  const names = new Set(own);
  names.delete('');
  const longest = 2 * Math.max(0, ...own.map((name) => name.length));
  const isName = (cell: string) => cell.length <= longest && names.has(nameRead(cell));
  const mayBeName = (cell: string) => cell === '' || isName(cell) || (cell.length > 1 && looksLikeName(cell));
  return (cells) => {
    if (!cells.every(mayBeName)) return null;
    const filled = cells.filter((cell) => cell !== '');
    const named = filled.filter(isName).length;
    if (named < 2 || 2 * named < filled.length) return null;
    const isSame = cells.every((cell, at) => nameRead(cell) === (own[at] ?? ''));
    return isSame && cells.length >= own.length ? 'same' : 'other';
  };
}

function nameRead(cell: string): string {
  return trimName(cell).toLowerCase();
}

/**
 * Drops invisible characters at both ends: spaces of every kind, signs without width, marks of byte
 * order and direction. No expression for the end: it would take quadratic time on a run of spaces.
 */
export function trimName(name: string): string {
  if (!INVISIBLE_END.test(name)) return name;
  const chars = [...name];
  const isVisible = (char: string) => !INVISIBLE.test(char);
  return chars.slice(chars.findIndex(isVisible), 1 + chars.findLastIndex(isVisible)).join('');
}

const INVISIBLE = /^[\s\p{Cf}]$/u;
const INVISIBLE_END = /^[\s\p{Cf}]|[\s\p{Cf}]$/u;

export const HEADER_AGAIN = 'the header once more: expected it once, at the top; remove this row';

export function otherHeaderProblem(unit: 'line' | 'row', header: number): string {
  return (
    `is a second header, with names of that on ${unit} ${header} in another order or number, or beside ` +
    `others: expected one table under one header; split the file there, or take the ${unit} out`
  );
}

/** Of a row with a separator too many in its text, the last cell would be there. */
export function namelessProblem(label: string): string {
  return (
    `column ${label} has no name in the header: expected nothing in it, since a row ` +
    'with a cell too many would look the same; name the column, or correct the row'
  );
}
