import type { CellCheck } from './cell-check.ts';

const SORT_CODE = /^\d{2}([- ]?)\d{2}\1\d{2}$/;

/** Finds UK sort codes that are not six digits, together or in pairs. */
export const sortCodeInvalid: CellCheck = {
  code: 'sort_code_invalid',
  find: (text) => (SORT_CODE.test(text) ? null : EXPECTED),
};

const EXPECTED =
  'a sort code of 6 digits such as 202015 or 20-20-15; a digit is probably missing or too many';
