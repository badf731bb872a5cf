import { isValidBIC } from 'ibantools';
import type { CellCheck } from './cell-check.ts';

/** Finds BICs that are not built as ISO 9362 says; spaces between the parts are fine. */
export const bicInvalid: CellCheck = {
  code: 'bic_invalid',
  find: (text) => (isBic(text) ? null : EXPECTED),
};

const EXPECTED =
  'a BIC of 8 or 11 characters such as DEUTDEFF or DEUTDEFF500: bank, country, place, and the branch if any; a character is probably missing, or the cell belongs to another column';

/** A file names few banks many times. */
const known = new Set<string>();
const MAX_KNOWN = 10_000;

function isBic(text: string): boolean {
  if (known.has(text)) return true;
  if (!isValidBIC(text.replaceAll(/\s/g, ''))) return false;
  if (known.size < MAX_KNOWN) known.add(text);
  return true;
}
