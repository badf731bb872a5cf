import type { SheetCell } from './workbook-cell.ts';
import { damaged } from './workbook-error.ts';
import { gather } from './workbook-text.ts';

/** A cell whose element has not ended yet. */
export type OpenCell = { -readonly [K in keyof SheetCell]: SheetCell[K] };

/** Takes the parts of a cell's element. */
export type CellContent = {
  open(name: string, cell: OpenCell): void;
  text(piece: string, cell: OpenCell): void;
  close(name: string): void;
};

/** Rich text is the text of its runs; phonetic runs say how the text is pronounced and are no part of it. */
export function createCellContent(): CellContent {
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
