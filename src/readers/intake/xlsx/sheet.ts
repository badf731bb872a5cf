/**
 * A sheet's XML: its rows and cells as written, in order, and its layout (merged cells, hidden
 * columns), some of which stands behind the cells and so takes a reading of its own.
 */
import { isTrue } from './book.ts';
import type { CellValue, SheetCell } from './cell.ts';
import { damaged, tooLarge } from './error.ts';
import { createRuns } from './text.ts';
import { type Attributes, readXmlText, type XmlHandler } from './xml.ts';
import type { Zip } from './zip.ts';

/** 0 = column A. */
export type ReadCell = CellValue & { readonly column: number };

/** `line`: the row's number in the sheet. Cells without content are missing. */
export type SheetRow = RowPlace & { readonly cells: readonly ReadCell[] };

type RowPlace = { readonly line: number; readonly hidden: boolean };
type OpenRow = RowPlace & { nextColumn: number; readonly cells: ReadCell[] };
type OpenCell = { -readonly [K in keyof SheetCell]: SheetCell[K] };

/** In order; WorkbookError where row numbers contradict each other. */
export function sheetHandler(
  read: (cell: SheetCell) => CellValue,
  take: (row: SheetRow) => void,
): XmlHandler {
  const runs = createRuns();
  let inData = false;
  let line = 0;
  let row: OpenRow | null = null;
  let cell: OpenCell | null = null;

  const openCell = (name: string, open: OpenCell) => {
    runs.open(name);
    if (name === 'f') open.hasFormula = true;
    if (name === 'v' && open.value !== null) throw damaged('it holds a cell with two values');
    if (name === 'v' || name === 'is') runs.take();
  };
  const closeCell = (open: OpenCell) => {
    cell = null;
    const value = read(open);
    if (value.kind === 'problem' || value.text !== '') row?.cells.push({ ...value, column: open.column });
  };
  const closeIn = (name: string, open: OpenCell) => {
    runs.close(name);
    if (name === 'v') open.value = runs.take();
    else if (name === 'is') open.inline = (open.inline ?? '') + runs.take();
    else if (name === 'c') closeCell(open);
  };
  return {
    open(name, attributes) {
      if (cell !== null) openCell(name, cell);
      else if (row !== null && name === 'c') {
        cell = newCell(attributes, row);
        row.nextColumn = cell.column + 1;
      } else if (inData && name === 'row') {
        line = lineOf(attributes, line);
        row = { line, hidden: isTrue(attributes.hidden), nextColumn: 0, cells: [] };
      } else if (name === 'sheetData') inData = true;
    },
    text(piece) {
      if (cell !== null) runs.text(piece);
    },
    close(name) {
      if (cell !== null) closeIn(name, cell);
      else if (row !== null && name === 'row') {
        take(row);
        row = null;
      } else if (name === 'sheetData') inData = false;
    },
  };
}

/** A row without a number is the next one. Rows must come in order. */
function lineOf(attributes: Attributes, last: number): number {
  const line = Number(attributes.r ?? last + 1);
  if (!Number.isSafeInteger(line) || line <= last) throw damaged('its rows are out of order');
  if (line > MAX_SHEET_ROWS) throw damaged('it has more rows than a sheet can have');
  return line;
}

function newCell(attributes: Attributes, { line, nextColumn }: OpenRow): OpenCell {
  return {
    column: columnOf(attributes.r, line, nextColumn),
    type: attributes.t ?? 'n',
    style: Number(attributes.s ?? 0),
    value: null,
    inline: null,
    hasFormula: false,
  };
}

function columnOf(reference: string | undefined, line: number, next: number): number {
  const place = reference === undefined ? { line, column: next } : placeOf(reference);
  if (place === null || place.line !== line || place.column < next || place.column >= MAX_SHEET_COLUMNS) {
    throw damaged(`row ${line} holds a cell that belongs elsewhere`);
  }
  return place.column;
}

type CellPlace = { readonly line: number; readonly column: number };

/** Excel's specifications and limits. */
const MAX_SHEET_ROWS = 1_048_576;
const MAX_SHEET_COLUMNS = 16_384;

function placeOf(reference: string): CellPlace | null {
  const [, letters = '', digits = ''] = REFERENCE.exec(reference) ?? [];
  let column = 0;
  for (let i = 0; i < letters.length; i += 1) {
    column = column * LETTERS + (letters.charCodeAt(i) & 31);
  }
  const line = Number(digits);
  if (column < 1 || column > MAX_SHEET_COLUMNS || line < 1 || line > MAX_SHEET_ROWS) return null;
  return { line, column: column - 1 };
}

const REFERENCE = /^\$?([A-Za-z]{1,3})\$?(\d{1,7})$/;

export function columnLetters(column: number): string {
  const before = Math.floor(column / LETTERS);
  const letter = String.fromCharCode(BEFORE_A + 1 + (column % LETTERS));
  return before === 0 ? letter : columnLetters(before - 1) + letter;
}

const LETTERS = 26;
const BEFORE_A = 64;

/** Only the first cell of a merge has a value. Rows from 1, columns from 0, all inclusive. */
type Merge = {
  readonly reference: string;
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
};

export type SheetLayout = {
  readonly merges: readonly Merge[];
  readonly hidesColumns: boolean;
};

/** Searches the text: parsing the cells again would take twice as long. */
export async function readLayout(zip: Zip, part: string): Promise<SheetLayout> {
  const merges: Merge[] = [];
  let hidesColumns = false;
  let cut = ''; // the start of a tag that ends in the next block
  for await (const text of readXmlText(zip.read(part))) {
    const whole = cut + text;
    cut = whole.slice(whole.lastIndexOf('<')).slice(0, MAX_TAG_CHARS);
    if (!whole.includes('mergeCell') && !whole.includes('hidden')) continue;
    for (const [, reference] of whole.slice(0, whole.length - cut.length).matchAll(TAGS)) {
      if (reference === undefined) hidesColumns = true;
      else if (merges.push(mergeOf(reference)) > MAX_MERGES) {
        throw tooLarge(`it has more than ${MAX_MERGES} merged cells`);
      }
    }
  }
  return { merges: merges.toSorted((a, b) => a.top - b.top), hidesColumns };
}

const MAX_MERGES = 100_000;

/** Rows and columns have a few short attributes. */
const MAX_TAG_CHARS = 4096;

/** The first group: the place of merged cells. */
const TAGS =
  /<(?:[\w.-]+:)?(?:mergeCell\s[^>]*?\bref\s*=\s*["']([^"']*)["']|col\s[^>]*?\bhidden\s*=\s*["'](?:1|true)["'])/g;

function mergeOf(reference: string): Merge {
  const [first = '', last = first] = reference.split(':');
  const from = placeOf(first);
  const to = placeOf(last);
  if (from === null || to === null) throw damaged('it merges cells that do not exist');
  return { reference, top: from.line, bottom: to.line, left: from.column };
}

/** Finds where a row is merged within the first `columns` columns. Call row by row, downwards. */
export function mergeFinder(layout: SheetLayout, columns: number): (line: number) => string | undefined {
  let next = 0;
  let open: readonly Merge[] = [];
  return (line) => {
    const started: Merge[] = [];
    for (let merge = layout.merges[next]; merge !== undefined && merge.top <= line; ) {
      started.push(merge);
      next += 1;
      merge = layout.merges[next];
    }
    if (started.length + open.length === 0) return undefined;
    open = [...open, ...started].filter(({ bottom }) => bottom >= line);
    return open.find(({ left }) => left < columns)?.reference;
  };
}
