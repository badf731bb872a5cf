/**
 * The text of a workbook's cells, put together from its runs. `_xHHHH_` stands for a character that
 * XML can't hold (ECMA-376 part 1, 22.9.2.19, ST_Xstring).
 */

/** Excel's specifications and limits. */
export const MAX_CELL_CHARS = 32_767;

export function decodeEscapes(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replaceAll(/_x([\dA-Fa-f]{4})_/g, (_, hex) =>
    String.fromCharCode(Number.parseInt(String(hex), 16)),
  );
}

/** Gathers what stands in `t` or, for a cell's value, in `v`. */
export type Runs = {
  open(name: string): void;
  text(piece: string): void;
  close(name: string): void;
  /** Returns what was gathered, and begins anew. */
  take(): string;
};

export function createRuns(): Runs {
  let gathered = '';
  let isText = false;
  // A phonetic run gives the pronunciation: it is no part of the text.
  let isPhonetic = false;
  return {
    open(name) {
      if (name === 't' || name === 'v') isText = true;
      if (name === 'rPh') isPhonetic = true;
    },
    text(piece) {
      if (isText && !isPhonetic && gathered.length <= MAX_RAW_CHARS) gathered += piece;
    },
    close(name) {
      if (name === 't' || name === 'v') isText = false;
      if (name === 'rPh') isPhonetic = false;
    },
    take() {
      const text = gathered;
      gathered = '';
      return text;
    },
  };
}

/** A full cell whose every character is escaped as `_x000D_`. */
const MAX_RAW_CHARS = 7 * MAX_CELL_CHARS;
