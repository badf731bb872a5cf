/**
 * What the index of accounts knows a payee's accounts by: a digest of the account, and one of whose
 * it is after it. So one account under two names is told apart from one payee under two keys.
 */
import { ACCOUNT_FIELDS, accountsIn } from '../../model/content.ts';
import { ACCOUNT_DIGEST } from '../../model/identity.ts';
import { memberOf } from '../../model/json-record.ts';
import { normalForm } from '../../model/key-form.ts';
import type { JsonObject } from '../../model/request.ts';
import { wordsOf } from './read-data.ts';
import type { FieldPath } from './request-field.ts';

/** Of a text, cut to so many characters; an HMAC where the ledger is sealed. */
type Digest = (text: string, length: number) => string;

/** 36 bits tell apart the names on one account, which are few. */
const NAME_CHARACTERS = 6;

/** `''`: the record names no account. */
export function accountDigests(body: JsonObject, digest: Digest): readonly string[] {
  const accounts = accountsIn(body);
  if (accounts.length === 0) return [];
  const name = digest(`name\n${nameText(body)}`, NAME_CHARACTERS);
  const each = accounts.map(({ form, text }) => digest(`account\n${form}${text}`, ACCOUNT_DIGEST) + name);
  return [...new Set(each)];
}

/** As keys compare, without punctuation and legal forms: `ACME Ltd.` is `acme limited`. */
function nameText(body: JsonObject): string {
  const whole = textOf(body, 'name');
  const name = whole === '' ? `${textOf(body, 'firstName')} ${textOf(body, 'lastName')}` : whole;
  const words = normalForm(name).replaceAll(ABBREVIATING, '').split(BETWEEN_WORDS).filter(isFilled);
  const isForm = (word: string | undefined) => word !== undefined && wordsOf('legal-form').has(word);
  while (words.length > 1 && isForm(words.at(-1))) words.pop();
  while (words.length > 1 && isForm(words[0])) words.shift();
  return words.join(' ');
}

/** `S.A.` is one word, as `O'Neill` is. */
const ABBREVIATING = /[.'’`]/g;
const BETWEEN_WORDS = /[^\p{L}\p{M}\p{N}]+/u;

function isFilled(word: string): boolean {
  return word !== '';
}

function textOf(body: JsonObject, name: string): string {
  const value = memberOf(body, name);
  return typeof value === 'string' ? value : '';
}

/** Whether the digests depend on the field. */
export function isOfPayee([name, _, member]: FieldPath): boolean {
  if (name === 'accounts') return ACCOUNT_FIELDS.has(member);
  return NAMES.has(name);
}

const NAMES: ReadonlySet<unknown> = new Set(['name', 'firstName', 'lastName']);
