/**
 * What the ledger keeps of a record's content, without its values, so that a later delivery can
 * tell whether something differs, and whether money would go elsewhere (model/content.ts). The
 * record's key, or a secret made of it, goes into each digest as salt: the same content looks
 * different in every record.
 */
import { shortDigest } from '../../lib/digest.ts';
import {
  ACCOUNT_CHARACTERS,
  accountsIn,
  contentText,
  FORMS,
  type Form,
  type MappedRecord,
  WHOLE_CHARACTERS,
} from '../../model/content.ts';

/** With more, all have one digest: a longer entry would cost Redis several times as much. */
const ACCOUNTS_APART = 5;

export function packContent(record: MappedRecord, salt: string): string {
  const whole = shortDigest(`${salt}\n${contentText(record)}`, WHOLE_CHARACTERS);
  const accounts = accountsIn(record.body);
  const [first] = accounts;
  if (first === undefined) return whole;
  if (accounts.length === 1) return whole + digestOf(first.form, first.text, salt);

  const each = accounts.map(({ form, text }) => digestOf(form, text, salt));
  const digests = [...new Set(each)].sort();
  if (digests.length <= ACCOUNTS_APART) return whole + digests.join('');
  return whole + digestOf(FORMS.all, digests.join(''), salt);
}

function digestOf(form: Form, text: string, salt: string): string {
  return form + shortDigest(`${salt}\n${form}${text}`, ACCOUNT_CHARACTERS);
}
