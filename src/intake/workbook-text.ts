/** The most that a cell of a workbook holds, in characters (Excel's specifications and limits). */
export const MAX_CELL_CHARS = 32_767;

/** A text that is gathered stops growing here: a full cell whose every character is escaped as `_x000D_`. */
export const MAX_RAW_CHARS = 7 * MAX_CELL_CHARS;

/** Decodes `_xHHHH_`, by which workbooks write characters that XML can't (ECMA-376 part 1, 22.9.2.19, ST_Xstring). */
export function decodeEscapes(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replaceAll(/_x([\dA-Fa-f]{4})_/g, (_, hex) =>
    String.fromCharCode(Number.parseInt(String(hex), 16)),
  );
}

/** Adds a piece to a text that is gathered, up to the limit. */
export function gather(text: string, piece: string): string {
  return text.length > MAX_RAW_CHARS ? text : text + piece;
}
