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
  const text = withText('', body);
  if (references.length === 0) return text;
  const named = references.map(({ path, space, key }) => {
    return withText('', [path.join('.'), space, key]);
  });
  return text + named.sort().join('');
}

/**
 * Each text has its length before it, so that no two values have one text. By hand, not by a list
 * for each level, and with few parts: this is most of what content costs a row.
 */
function withText(before: string, value: JsonValue): string {
  if (typeof value === 'string') return before + textStart(value.length) + value;
  if (isJsonList(value)) {
    let text = before + listStart(value.length);
    for (const item of value) text = withText(text, item);
    return text;
  }
  if (!isJsonObject(value)) return `${before}#${value};`;

  const names = sortedNames(value);
  let text = before + objectStart(names.length);
  for (const name of names) {
    const start = text + nameStart(name.length) + name;
    text = withText(start, value[name] ?? null);
  }
  return text;
}

/** Characters of most names and values. */
const SHORT = 64;
const textStart = startsWith('"');
const listStart = startsWith('[');
const objectStart = startsWith('{');
const nameStart = startsWith('');

/** With the length of what follows. */
function startsWith(sign: string): (length: number) => string {
  const starts = Array.from({ length: SHORT }, (_, length) => `${sign}${length}:`);
  return (length) => starts[length] ?? `${sign}${length}:`;
}

/** Few are put in their places by hand: sorting makes more garbage than all else of a row. */
const FEW_NAMES = 24;

function sortedNames(object: JsonObject): readonly string[] {
  const names = Object.keys(object);
  if (names.length > FEW_NAMES) return names.sort();
  for (let i = 1; i < names.length; i += 1) {
    const name = names[i] ?? '';
    let at = i;
    while (at > 0 && (names[at - 1] ?? '') > name) {
      names[at] = names[at - 1] ?? '';
      at -= 1;
    }
    names[at] = name;
  }
  return names;
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
  const isWhole = !before.startsWith(NO_WHOLE);
  if (isWhole && before === now) return SAME;
  const earlier = accountDigests(before);
  const later = accountDigests(now);
  return {
    isSame: isWhole ? false : null,
    accounts: compareAccounts(earlier, later),
  };
}

const SAME: ContentCompared = { isSame: true, accounts: 'same' };
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
