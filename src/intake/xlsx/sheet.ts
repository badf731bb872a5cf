/**
 * A sheet's XML: its rows and cells as they are written, in order, and its layout (merged and hidden cells), which stands
 * behind the cells and so takes a reading of its own.
 */
import type { SheetCell } from './cell.ts';
import { damaged, tooLarge } from './error.ts';
import { type Attributes, gather, readXmlText, type XmlHandler } from './xml.ts';
import type { Zip } from './zip.ts';

/** A row of a sheet as its XML has it: `line` is its number in the sheet, cells without content may be missing. */
export type SheetRow = { readonly line: number; readonly cells: readonly SheetCell[] };

type OpenRow = { readonly line: number; readonly cells: OpenCell[] };

/** Hands on the rows of a sheet in order; WorkbookError where their numbers contradict each other. */
export function sheetHandler(take: (row: SheetRow) => void): XmlHandler {
  const content = createCellContent();
  let inData = false;
  let line = 0;
  let row: OpenRow | null = null;
  let cell: OpenCell | null = null;

  const openRow = (attributes: Attributes) => {
    line = lineOf(attributes, line);
    row = { line, cells: [] };
  };
  const closeRow = (open: OpenRow) => {
    row = null;
    take(open);
  };
  return {
    open(name, attributes) {
      if (cell !== null) content.open(name, cell);
      else if (row !== null && name === 'c') {
        cell = newCell(attributes, row);
        row.cells.push(cell);
      } else if (inData && name === 'row') openRow(attributes);
      else if (name === 'sheetData') inData = true;
    },
    text(piece) {
      if (cell !== null) content.text(piece, cell);
    },
    close(name) {
      if (name === 'c') cell = null;
      else if (cell !== null) content.close(name);
      else if (row !== null && name === 'row') closeRow(row);
      else if (name === 'sheetData') inData = false;
    },
  };
}

/** The number of a row: the next one where the row doesn't say it. Rows must come in order. */
function lineOf(attributes: Attributes, last: number): number {
  const line = Number(attributes.get('r') ?? last + 1);
  if (!Number.isSafeInteger(line) || line <= last) throw damaged('its rows are out of order');
  if (line > MAX_SHEET_ROWS) throw damaged('it has more rows than a sheet can have');
  return line;
}

function newCell(attributes: Attributes, { line, cells }: OpenRow): OpenCell {
  return {
    column: columnOf(attributes.get('r'), line, (cells.at(-1)?.column ?? -1) + 1),
    type: attributes.get('t') ?? 'n',
    style: Number(attributes.get('s') ?? 0),
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

type OpenCell = { -readonly [K in keyof SheetCell]: SheetCell[K] };

type CellContent = {
  open(name: string, cell: OpenCell): void;
  text(piece: string, cell: OpenCell): void;
  close(name: string): void;
};

/** Rich text is the text of its runs; phonetic runs say how the text is pronounced and are no part of it. */
function createCellContent(): CellContent {
  let into: 'value' | 'inline' | null = null;
  let inPhonetic = false;
  return {
    open(name, cell) {
      if (name === 'f') cell.hasFormula = true;
      else if (name === 'is') cell.inline ??= '';
      else if (name === 'rPh') inPhonetic = true;
      else if (name === 't' && cell.inline !== null && !inPhonetic) into = 'inline';
      else if (name === 'v') {
        if (cell.value !== null) throw damaged('it holds a cell with two values');
        cell.value = '';
        into = 'value';
      }
    },
    text(piece, cell) {
      if (into !== null) cell[into] = gather(cell[into] ?? '', piece);
    },
    close(name) {
      if (name === 'v' || name === 't') into = null;
      else if (name === 'rPh') inPhonetic = false;
    },
  };
}

type CellPlace = { readonly line: number; readonly column: number };

/** The size of a sheet at most (Excel's specifications and limits). */
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

/** Cells that are shown as one; only the first of them holds a value. Rows from 1, columns from 0, all inclusive. */
type Merge = {
  readonly reference: string;
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
};

export type SheetLayout = {
  readonly merges: readonly Merge[];
  readonly hasHidden: boolean;
};

/** Searches a sheet for its layout: as text, since to parse the cells twice would take twice as long. */
export async function readLayout(zip: Zip, part: string): Promise<SheetLayout> {
  const merges: Merge[] = [];
  let hasHidden = false;
  let cut = ''; // the start of a tag whose end is in the next block
  for await (const text of readXmlText(zip.read(part))) {
    const whole = cut + text;
    cut = whole.slice(whole.lastIndexOf('<')).slice(0, MAX_TAG_CHARS);
    if (!whole.includes('mergeCell') && !whole.includes('hidden')) continue;
    for (const [, reference] of whole.slice(0, whole.length - cut.length).matchAll(TAGS)) {
      if (reference === undefined) hasHidden = true;
      else if (merges.push(mergeOf(reference)) > MAX_MERGES) {
        throw tooLarge(`it has more than ${MAX_MERGES} merged cells`);
      }
    }
  }
  return { merges: merges.toSorted((a, b) => a.top - b.top), hasHidden };
}

const MAX_MERGES = 100_000;

/** The longest tag that is searched: rows and columns have a few short attributes. */
const MAX_TAG_CHARS = 4096;

/** Tags in a sheet that say something of its layout; the first group is the place of merged cells. */
const TAGS =
  /<(?:[\w.-]+:)?(?:mergeCell\s[^>]*?\bref\s*=\s*["']([^"']*)["']|(?:row|col)\s[^>]*?\bhidden\s*=\s*["'](?:1|true)["'])/g;

function mergeOf(reference: string): Merge {
  const [first = '', last = first] = reference.split(':');
  const from = placeOf(first);
  const to = placeOf(last);
  if (from === null || to === null) throw damaged('it merges cells that do not exist');
  return { reference, top: from.line, bottom: to.line, left: from.column };
}

/** The merge that a row lies in, if it reaches into the first `columns` columns; to be asked row by row downwards. */
export function mergeFinder(layout: SheetLayout, columns: number): (line: number) => Merge | undefined {
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
    return open.find(({ left }) => left < columns);
  };
}
