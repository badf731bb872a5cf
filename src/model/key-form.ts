/**
 * What makes two keys one: their normal form, or, where a job says so, their texts alone. Whoever
 * compares keys asks here, so that a claim, a look-up, a group and a report mean the same record.
 */
import { z } from 'zod';

/** How a job compares keys: by their normal form, or by their texts alone. */
export const keyFormSchema = z.enum(['loose', 'exact']);
export type KeyForm = z.infer<typeof keyFormSchema>;

/** What makes two keys one identity. */
export function identityOfKey(key: string, form: KeyForm): string {
  return form === 'exact' ? key : normalForm(key);
}

/** Printable ASCII: nothing of it is folded but capitals. */
const PLAIN = /^[ -~]*$/;
/** What is drawn as nothing, but for white space. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\u2800]|(?!\s)\p{Cc}/gu;
const DIGITS = /^\d+$/;
const LEADING_ZEROS = /^0+(?=\d)/;

/**
 * The key as people read it: NFKC, without invisible signs and white space at its ends, in small
 * letters (`ß` and `ẞ` are `ss`), and, where digits alone remain, without leading zeros and without
 * what exports add to a number. The form of a form is that form.
 */
export function normalForm(key: string): string {
  const seen = PLAIN.test(key) ? key.toLowerCase().trim() : folded(key);
  const bare = MARKED.test(seen) ? withoutMarks(seen) : seen;
  return DIGITS.test(bare) ? bare.replace(LEADING_ZEROS, '') : bare;
}

/** By way of the small letters: `ẞ` is no capital of `ss`. */
function folded(key: string): string {
  const seen = key.normalize('NFKC').replaceAll(UNSEEN, '');
  return seen.toLowerCase().toUpperCase().toLowerCase().normalize('NFKC').trim();
}

/** Beyond that length it is no number of an export, and reading it would take its square. */
const MARKED = /^(?!\d+$)[\d'=".,\s]{2,64}$/;
const DECIMALS = /(?:\.0+|,00?)$/;
const THOUSANDS = /^[1-9]\d{0,2}(?:,\d{3})+$/;

/** Of numbers that are kept as text or written as decimals; the text where no number remains. */
function withoutMarks(text: string): string {
  let bare = text;
  for (let before = ''; before !== bare; ) {
    before = bare;
    bare = bare
      .trim()
      .replace(/^'/, '')
      .replace(/^="(.*)"$/s, '$1');
    bare = bare.replace(DECIMALS, '').replace(LEADING_ZEROS, '');
    if (THOUSANDS.test(bare)) bare = bare.replaceAll(',', '');
  }
  return DIGITS.test(bare) ? bare : text;
}
