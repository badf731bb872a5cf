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

/** Printable ASCII without the space. */
const PLAIN = /^[!-~]*$/;
/** What is drawn as nothing, but for white space. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\u2800]|(?!\s)\p{Cc}/gu;
const LEADING_ZEROS = /^0+(?=\d+$)/;

/**
 * The key as people read it: NFKC, without invisible signs and white space at its ends, in small
 * letters (`ß` is `ss`), and, where it has digits alone, without leading zeros.
 */
export function normalForm(key: string): string {
  return (PLAIN.test(key) ? key.toLowerCase() : folded(key)).replace(LEADING_ZEROS, '');
}

function folded(key: string): string {
  const seen = key.normalize('NFKC').replaceAll(UNSEEN, '');
  return seen.toUpperCase().toLowerCase().normalize('NFKC').trim();
}
