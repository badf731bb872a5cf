import type { CellCheck } from './cell-check.ts';

/** As Excel and LibreOffice write them, in English and, where they differ, German, French, Spanish, Italian, Dutch and Portuguese. */
const NAMES = [
  'REF!|NAME\\?|VALUE!|DIV/0!|NULL!|NUM!|N/A|SPILL!|CALC!|FIELD!|GETTING_DATA',
  'BEZUG!|WERT!|ZAHL!|NV',
  'NOM\\?|VALEUR!|NUL!|NOMBRE!',
  '¡REF!|¿NOMBRE\\?|¡VALOR!|¡DIV/0!|¡NULO!|¡NUM!|N/D',
  'RIF!|NOME\\?|VALORE!|NULLO!',
  'VERW!|NAAM\\?|WAARDE!|DEEL/0!|LEEG!|GETAL!|N/B',
  'VALOR!|NULO!|NÚM!',
].join('|');

/** The whole cell: within a text they may be meant. `####` is what a column too narrow for its value shows. */
const ERROR = new RegExp(`^(?:#(?:${NAMES})|#{3,}|Err:5\\d\\d)$`);

/** Finds what a spreadsheet shows in place of a value. */
export const spreadsheetError: CellCheck = {
  code: 'spreadsheet_error',
  find: (text) => {
    if (!ERROR.test(text)) return null;
    return text.startsWith('##') ? NARROW : FORMULA;
  },
};

const FORMULA =
  'a value; a spreadsheet writes this where a formula has no result: mend the formula and export the file again';

const NARROW =
  'a value; a spreadsheet writes this where a column is too narrow to show it: widen the column and export the file again';
