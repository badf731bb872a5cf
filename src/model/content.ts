/**
 * What makes two records the same in content, and two accounts one; and how the digests of that
 * which the ledger keeps are compared. They are made by `packContent`, next to where rows are
 * mapped: one of all that was sent, then one of each account.
 */
import { isJsonList, isJsonObject, memberOf } from './json-record.ts';
import type { Mapped } from './mapping.ts';
import type { JsonObject, JsonValue } from './request.ts';

/** What a row maps to, before the identifiers of other records are put in. */
export type MappedRecord = Pick<MappedRow, 'body' | 'references'>;
type MappedRow = Extract<Mapped, { kind: 'mapped' }>;

/** 48 bits tell one record's contents apart, 36 bits its accounts. */
export const WHOLE_CHARACTERS = 8;
/** As many of these: the accounts alone are known. */
export const WHOLE_UNKNOWN = '-';
export const ACCOUNT_CHARACTERS = 6;
/** How an account is named; `all`: a digest of several. */
export const FORMS = { iban: 'i', national: 'n', all: 'a' } as const;
export type Form = (typeof FORMS)[keyof typeof FORMS];

/**
 * The text that two records have in common where their content is the same, whatever the order of
 * their columns. A reference counts by the key that it names.
 */
export function contentText({ body, references }: MappedRecord): string {
  const text = textOf(body);
  if (references.length === 0) return text;
  const named = references.map(({ path, space, key }) => {
    return textOf([path.join('.'), space, key]);
  });
  return text + named.sort().join('');
}

/**
 * Each text has its length before it, so that no two values have one text. By hand, not by a list
 * for each level: this is most of what content costs a row.
 */
function textOf(value: JsonValue): string {
  if (typeof value === 'string') return `"${value.length}:${value}`;
  if (isJsonList(value)) {
    let text = `[${value.length}:`;
    for (const item of value) text += textOf(item);
    return text;
  }
  if (!isJsonObject(value)) return `#${value};`;

  const names = sortedNames(value);
  let text = `{${names.length}:`;
  for (const name of names) text += `${name.length}:${name}${textOf(value[name] ?? null)}`;
  return text;
}

/** Above this many, `sort` is faster; below, it takes as long as all else that content costs. */
const FEW = 32;

function sortedNames(object: JsonObject): readonly string[] {
  const names = Object.keys(object);
  if (names.length > FEW) return names.sort();
  for (let from = 1; from < names.length; from += 1) insertAmongSorted(names, from);
  return names;
}

/** Names come in the order of columns, of which most are in place. */
function insertAmongSorted(names: string[], from: number): void {
  const name = names[from] ?? '';
  let to = from;
  for (; to > 0 && (names[to - 1] ?? '') > name; to -= 1) names[to] = names[to - 1] ?? '';
  names[to] = name;
}

/** `number`: without its bank. */
export type Account = { readonly form: Form; readonly text: string; readonly number: string };

/** Of each of its accounts that has a number. */
export function accountsIn(body: JsonObject): readonly Account[] {
  const listed = memberOf(body, 'accounts');
  const accounts: Account[] = [];
  if (!isJsonList(listed)) return accounts;
  for (const one of listed) {
    const account = accountOf(one);
    if (account !== null) accounts.push(account);
  }
  return accounts;
}

/** In this order the first that is filled says which bank's the number is. */
const BANKS = ['bankCode', 'sortCodeUK', 'routingNumber', 'bic_swift'] as const;

const NUMBERS = ['iban', 'accountNumber'];

/** Of an account: what says which one it is. */
export const ACCOUNT_FIELDS: ReadonlySet<unknown> = new Set([...NUMBERS, ...BANKS]);

function accountOf(account: JsonValue): Account | null {
  const iban = plainText(memberOf(account, 'iban'));
  if (iban !== '') return { form: FORMS.iban, text: iban, number: iban };

  const number = plainText(memberOf(account, 'accountNumber'));
  if (number === '') return null;
  const text = number + bankOf(account);
  return { form: FORMS.national, text, number };
}

function bankOf(account: JsonValue): string {
  for (const name of BANKS) {
    const bank = plainText(memberOf(account, name));
    if (bank !== '') return ` ${ofOffice(bank)}`;
  }
  return '';
}

/** Nearly all are written so. */
const PLAIN = /^[\dA-Z]*$/;
const SIGNS_BETWEEN = /[^\p{L}\p{N}]/gu;

/** As people read it: without spaces and hyphens, in capital letters. */
function plainText(value: JsonValue | undefined): string {
  if (typeof value !== 'string') return '';
  if (PLAIN.test(value)) return value;
  return value.replaceAll(SIGNS_BETWEEN, '').toUpperCase();
}

/** A BIC without a branch means the head office, `XXX`. */
function ofOffice(bank: string): string {
  return /^[A-Z]{6}[A-Z\d]{2}$/.test(bank) ? `${bank}XXX` : bank;
}

/** `restated`: perhaps the same account, once as an IBAN and once in its national form. */
export type AccountsCompared = 'same' | Difference;
type Difference = 'added' | 'removed' | 'restated' | 'changed';

type ContentCompared = {
  /** `null`: of the earlier content the accounts alone are known. */
  readonly isSame: boolean | null;
  readonly accounts: AccountsCompared;
};

/** `null`: nothing is known of the earlier content (`''`). */
export function compareContent(before: string, now: string): ContentCompared | null {
  if (before === '') return null;
  const earlier = accountDigests(before);
  const later = accountDigests(now);
  return {
    isSame: before.startsWith(NO_WHOLE) ? null : before === now,
    accounts: compareAccounts(earlier, later),
  };
}

const NO_WHOLE = WHOLE_UNKNOWN.repeat(WHOLE_CHARACTERS);

export function hasAccounts(content: string): boolean {
  return content.length > WHOLE_CHARACTERS;
}

const ACCOUNT = new RegExp(`.{${1 + ACCOUNT_CHARACTERS}}`, 'gs');

function accountDigests(content: string): Digests {
  return content.slice(WHOLE_CHARACTERS).match(ACCOUNT) ?? [];
}

type Digests = readonly string[];

function compareAccounts(before: Digests, now: Digests): AccountsCompared {
  const added = without(now, before);
  const removed = without(before, now);
  const isMore = added.length > 0;
  if (removed.length === 0) return isMore ? 'added' : 'same';
  if (!isMore) return 'removed';
  return areRestated(removed, added) ? 'restated' : 'changed';
}

function without(all: Digests, others: Digests): Digests {
  return all.filter((one) => !others.includes(one));
}

/** All of one form before, all of the other now. */
function areRestated(removed: Digests, added: Digests): boolean {
  const [before, ...othersBefore] = formsOf(removed);
  const [now, ...othersNow] = formsOf(added);
  const others = [...othersBefore, ...othersNow];
  if (others.length > 0) return false;
  if (before === FORMS.all || now === FORMS.all) return false;
  return before !== now;
}

function formsOf(digests: Digests): Digests {
  return [...new Set(digests.map((digest) => digest.slice(0, 1)))];
}
