import type { CellCheck } from './cell-check.ts';

/** As spreadsheets and number libraries write them. Without a decimal sign or a plus (`1E11`) it may well be an identifier. */
const SCIENTIFIC = /^-?\d(?:[.,]\d+[eE][+-]?|[eE]\+)\d{1,3}$/;
/** `1E+5`; what is shorter isn't looked at. */
const SHORTEST = 4;

/** Finds identifiers that were turned into a number such as 1.23457E+11 on their way. */
export const scientificNotation: CellCheck = {
  code: 'scientific_notation',
  find: (text) => (text.length >= SHORTEST && SCIENTIFIC.test(text) ? EXPECTED : null),
};

const EXPECTED =
  'every digit, as text; a spreadsheet probably turned a long number into a short form such as 1.23457E+11, which loses digits';
