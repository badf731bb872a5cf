/**
 * What the ledger keeps of a record's content, without its values: a digest of all that was sent,
 * and one of each account, so that a later delivery can tell whether something differs, and whether
 * money would go elsewhere. The record's key, or a secret made of it, goes into each as salt: the
 * same content looks different in every record.
 */
import { shortDigest } from '../lib/digest.ts';
import { isJsonList, isJsonObject, memberOf } from './json-record.ts';
import type { Mapped } from './mapping.ts';
import type { JsonObject, JsonValue } from './request.ts';

/** What a row maps to, before the identifiers of other records are put in. */
export type MappedRecord = Pick<Extract<Mapped, { kind: 'mapped' }>, 'body' | 'references'>;

/** 48 bits tell one record's contents apart, 36 bits its accounts. */
const WHOLE_CHARACTERS = 8;
const ACCOUNT_CHARACTERS = 6;
/** With more, all have one digest: a longer entry would cost Redis several times as much. */
const ACCOUNTS_APART = 5;

/** How an account is named; `all`: a digest of several. */
const FORMS = { iban: 'i', national: 'n', all: 'a' } as const;
type Form = (typeof FORMS)[keyof typeof FORMS];

/**
 * The text that two records have in common where their content is the same, whatever the order of
 * their columns. A reference counts by the key that it names.
 */
export function contentText({ body, references }: MappedRecord): string {
  const text = textOf(body);
  if (references.length === 0) return text;
  const named = references.map(({ path, space, key }) => textOf([path.join('.'), space, key]));
  return text + named.sort().join('');
}

/** Each text has its length before it, so that no two values have one text. */
function textOf(value: JsonValue): string {
  if (typeof value === 'string') return `"${value.length}:${value}`;
  if (isJsonList(value)) return `[${value.length}:${value.map(textOf).join('')}`;
  if (!isJsonObject(value)) return `#${value};`;

  const names = Object.keys(value).sort();
  let text = `{${names.length}:`;
  for (const name of names) text += textOf(name) + textOf(value[name] ?? null);
  return text;
}

export function packContent(record: MappedRecord, salt: string): string {
  const whole = shortDigest(`${salt}\n${contentText(record)}`, WHOLE_CHARACTERS);
  const accounts = accountsIn(record.body);
  if (accounts.length === 0) return whole;

  const digests = [...new Set(accounts)].map(({ form, text }) => digestOf(form, text, salt)).sort();
  if (digests.length <= ACCOUNTS_APART) return whole + digests.join('');
  return whole + digestOf(FORMS.all, digests.join(''), salt);
}

function digestOf(form: Form, text: string, salt: string): string {
  return form + shortDigest(`${salt}\n${form}${text}`, ACCOUNT_CHARACTERS);
}

type Account = { readonly form: Form; readonly text: string };

/** Of each of its accounts that has a number. */
function accountsIn(body: JsonObject): readonly Account[] {
  const accounts = memberOf(body, 'accounts');
  if (!isJsonList(accounts)) return [];
  return accounts.flatMap((account) => accountOf(account) ?? []);
}

/** In this order the first that is filled says which bank's the number is. */
const BANKS = ['bankCode', 'sortCodeUK', 'routingNumber', 'bic_swift'] as const;

function accountOf(account: JsonValue): Account | null {
  const iban = plainText(memberOf(account, 'iban'));
  if (iban !== '') return { form: FORMS.iban, text: iban };
  const number = plainText(memberOf(account, 'accountNumber'));
  if (number === '') return null;
  for (const name of BANKS) {
    const bank = plainText(memberOf(account, name));
    if (bank !== '') return { form: FORMS.national, text: `${number} ${ofOffice(bank)}` };
  }
  return { form: FORMS.national, text: number };
}

const SIGNS_BETWEEN = /[^\p{L}\p{N}]/gu;

/** As people read it: without spaces and hyphens, in capital letters. */
function plainText(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value.replaceAll(SIGNS_BETWEEN, '').toUpperCase() : '';
}

/** A BIC without a branch means the head office, `XXX`. */
function ofOffice(bank: string): string {
  return /^[A-Z]{6}[A-Z\d]{2}$/.test(bank) ? `${bank}XXX` : bank;
}

/** `restated`: perhaps the same account, once as an IBAN and once in its national form. */
export type AccountsCompared = 'same' | 'added' | 'removed' | 'restated' | 'changed';

export type ContentCompared = { readonly isSame: boolean; readonly accounts: AccountsCompared };

/** `null`: nothing is known of the earlier content (`''`). */
export function compareContent(before: string, now: string): ContentCompared | null {
  if (before === '') return null;
  return { isSame: before === now, accounts: compareAccounts(accountDigests(before), accountDigests(now)) };
}

export function hasAccounts(content: string): boolean {
  return content.length > WHOLE_CHARACTERS;
}

const ACCOUNT = new RegExp(`.{${1 + ACCOUNT_CHARACTERS}}`, 'gs');

function accountDigests(content: string): readonly string[] {
  return content.slice(WHOLE_CHARACTERS).match(ACCOUNT) ?? [];
}

function compareAccounts(before: readonly string[], now: readonly string[]): AccountsCompared {
  const added = now.filter((account) => !before.includes(account));
  const removed = before.filter((account) => !now.includes(account));
  if (removed.length === 0) return added.length === 0 ? 'same' : 'added';
  if (added.length === 0) return 'removed';
  return areRestated(removed, added) ? 'restated' : 'changed';
}

/** All of one form before, all of the other now. */
function areRestated(removed: readonly string[], added: readonly string[]): boolean {
  const [before, ...othersBefore] = formsOf(removed);
  const [now, ...othersNow] = formsOf(added);
  if (othersBefore.length > 0 || othersNow.length > 0) return false;
  return before !== now && before !== FORMS.all && now !== FORMS.all;
}

function formsOf(digests: readonly string[]): readonly string[] {
  return [...new Set(digests.map((digest) => digest.slice(0, 1)))];
}
