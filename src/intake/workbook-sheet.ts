import type { SheetCell } from './workbook-cell.ts';
import type { OpenCell } from './workbook-content.ts';
import { createCellContent } from './workbook-content.ts';
import { damaged } from './workbook-error.ts';
import { MAX_SHEET_COLUMNS, MAX_SHEET_ROWS, placeOf } from './workbook-place.ts';
import type { Attributes, XmlHandler } from './workbook-sax.ts';

/** A row of a sheet as its XML has it: `line` is its number in the sheet, cells without content may be missing. */
export type SheetRow = { readonly line: number; readonly cells: readonly SheetCell[] };

type OpenRow = { readonly line: number; readonly cells: OpenCell[] };

/** Hands on the rows of a sheet in their order, between `sheetData` and its end; WorkbookError where their numbers contradict each other. */
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

/** Rows come in their order, and one that doesn't say its number is the next. */
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
