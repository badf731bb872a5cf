/**
 * Identifiers as payment files have them: what an IBAN, a BIC, a sort code, a routing number has to look like, and which
 * codes are short of the zeros that a spreadsheet drops. Each finding says what was expected and what probably happened;
 * none of them changes a value.
 */
import { getCountrySpecifications, isValidBIC } from 'ibantools';
import { countryCode } from '../countries.ts';
import { readData, remembered } from '../read-data.ts';
import type { FieldPath } from '../request-field.ts';
import type { BesideOf, CellCheck } from './damage.ts';

/**
 * Fields whose digits are a name and no quantity, by the last part of their path: a spreadsheet that takes them for
 * numbers drops leading zeros and rounds the digits after the 15th.
 */
const IDENTIFIER_FIELDS: ReadonlySet<string> = new Set(
  [
    'accountNumber bankAccountId bankCode bicSwift bic_swift cnaps crmId euVatNumber iban id',
    'licenseNumber parentId paymentId postBox postCode routingNumber sortCodeUK taxId',
    'tradeRegistryId vanityId vatNumber',
  ].flatMap((names) => names.split(' ')),
);

export function isIdentifierField(path: FieldPath): boolean {
  return IDENTIFIER_FIELDS.has(lastName(path));
}

/**
 * The checks of an identifier's field. `others` are left out for identifiers with a form of their own, in which text that
 * was misread could not pass anyway.
 */
export function identifierChecks(
  path: FieldPath,
  beside: (name: string) => BesideOf,
  others: readonly CellCheck[],
): readonly CellCheck[] {
  switch (lastName(path)) {
    case 'accountNumber':
      return [lostZeroOfAccountNumber(beside('sortCodeUK')), ...others];
    case 'bankCode':
      return [lostZeroOf('bankCode', beside('country')), ...others];
    case 'bic_swift':
    case 'bicSwift':
      return [bicInvalid];
    case 'cnaps':
      return [lostZeroOfCnaps, ...others];
    case 'iban':
      return [ibanInvalid];
    case 'postCode':
      return [lostZeroOf('postCode', beside('country')), ...others];
    case 'routingNumber':
      return [lostZeroOfRoutingNumber(beside('country')), routingNumberInvalid(beside('country'))];
    case 'sortCodeUK':
      return [lostZeroOfSortCode, sortCodeInvalid];
    default:
      return others;
  }
}

function lastName(path: FieldPath): string {
  const last = path.at(-1);
  return typeof last === 'string' ? last : '';
}

/**
 * Finds IBANs that ISO 13616 doesn't allow: the country's length and characters, and the check digits. Spaces, as people
 * write them, and case don't matter here. The check digits inside of some national account numbers are not looked at:
 * what is damaged fails the outer ones already.
 */
const ibanInvalid: CellCheck = {
  code: 'iban_invalid',
  find: (text) => (isIban(text) || isIban(compact(text)) ? null : ibanProblem(compact(text))),
};

/** By country, the number of characters and which of them are letters and digits. */
const FORMS: ReadonlyMap<string, { readonly length: number; readonly shape: RegExp }> = new Map(
  Object.entries(getCountrySpecifications()).flatMap(([country, { chars, bban_regexp }]) =>
    chars === null || bban_regexp === null
      ? []
      : [
          [
            country,
            { length: chars, shape: new RegExp(bban_regexp.replace('^', '^[A-Z]{2}\\d{2}')) },
          ] as const,
        ],
  ),
);

function compact(text: string): string {
  return text.replaceAll(/\s/g, '').toUpperCase();
}

function ibanProblem(iban: string): string | null {
  const country = iban.slice(0, 2);
  const form = FORMS.get(country);
  if (form === undefined) return NO_COUNTRY;
  if (iban.length !== form.length) return lengthProblem(country, form.length, iban.length);
  if (!/^[A-Z0-9]+$/.test(iban))
    return 'an IBAN of letters and digits only; a character in it is probably damaged';
  return hasCheckDigits(iban) ? structureProblem(country) : CHECK_DIGITS;
}

const NO_COUNTRY =
  'an IBAN, which begins with the two letters of a country that has IBANs; the cell probably belongs to another column, or its beginning is lost';

const CHECK_DIGITS =
  'an IBAN whose check digits fit; a character is probably wrong, or two have changed places';

function lengthProblem(country: string, expected: number, got: number): string {
  const what = got < expected ? 'a part of it is probably lost' : 'something in it is probably too many';
  return `an IBAN of ${expected} characters, as ${country} has them, got ${got}; ${what}`;
}

function structureProblem(country: string): string {
  return `an IBAN with letters and digits where ${country} has them; a letter and a digit are probably confused, such as O and 0`;
}

function isIban(text: string): boolean {
  const form = FORMS.get(text.slice(0, 2));
  return form !== undefined && text.length === form.length && hasCheckDigits(text) && form.shape.test(text);
}

/**
 * Whether the number that the IBAN spells with its first four characters at the end, A being 10 and Z 35, leaves 1
 * when it is divided by 97; never for a character that is neither.
 */
function hasCheckDigits(iban: string): boolean {
  let rest = 0;
  for (let i = 0; i < iban.length; i += 1) {
    const value = valueAt(iban, (i + 4) % iban.length);
    if (value < 0) return false;
    rest = (value > 9 ? rest * 100 : rest * 10) + value;
    if (rest > SMALL) rest %= 97;
  }
  return rest % 97 === 1;
}

/** Up to here the rest with two more digits is a small integer, with which the loop is three times as fast. */
const SMALL = 9_999_999;

function valueAt(iban: string, at: number): number {
  const code = iban.charCodeAt(at);
  if (code >= 48 && code <= 57) return code - 48;
  return code >= 65 && code <= 90 ? code - 55 : -1;
}

const bicInvalid: CellCheck = {
  code: 'bic_invalid',
  find: (text) => (isBic(text) ? null : BIC),
};

const BIC =
  'a BIC of 8 or 11 characters such as DEUTDEFF or DEUTDEFF500: bank, country, place, and the branch if any; a character is probably missing, or the cell belongs to another column';

const knownBics = new Set<string>();
const MAX_BICS = 10_000;

function isBic(text: string): boolean {
  if (knownBics.has(text)) return true;
  if (!isValidBIC(text.replaceAll(/\s/g, ''))) return false;
  if (knownBics.size < MAX_BICS) knownBics.add(text);
  return true;
}

const SORT_CODE = /^\d{2}([- ]?)\d{2}\1\d{2}$/;

const sortCodeInvalid: CellCheck = {
  code: 'sort_code_invalid',
  find: (text) => (SORT_CODE.test(text) ? null : SIX_DIGITS),
};

const SIX_DIGITS =
  'a sort code of 6 digits such as 202015 or 20-20-15; a digit is probably missing or too many';

function routingNumberInvalid(country: BesideOf): CellCheck {
  return {
    code: 'routing_number_invalid',
    find(text, context) {
      return isRoutingNumber(text) || !isAmerican(country(context)) ? null : routingNumberProblem(text);
    },
  };
}

function routingNumberProblem(text: string): string {
  return /^\d{9}$/.test(text)
    ? 'a routing number whose check digit fits (ABA); a digit is probably wrong, or two have changed places'
    : 'a routing number of 9 digits; a digit is probably missing or too many';
}

const ZERO = 48;

/**
 * Whether the text is nine digits that are a routing number of the American Bankers Association: their sum, weighted
 * 3, 7, 1 in turn, is a multiple of ten.
 */
function isRoutingNumber(text: string): boolean {
  if (text.length !== 9) return false;
  let sum = 0;
  for (let i = 0; i < 9; i += 1) {
    const digit = text.charCodeAt(i) - ZERO;
    if (digit < 0 || digit > 9) return false;
    sum += digit * (i % 3 === 0 ? 3 : i % 3 === 1 ? 7 : 1);
  }
  return sum % 10 === 0;
}

const lostZeroOfSortCode = lostZero((text) => (hasDigits(text, 5) ? lost(6, 'sort code') : null));

const lostZeroOfCnaps = lostZero((text) => (hasDigits(text, 11) ? lost(12, 'CNAPS code') : null));

function lostZeroOfRoutingNumber(country: BesideOf): CellCheck {
  return lostZero((text, context) =>
    hasDigits(text, 8) && isRoutingNumber(`0${text}`) && isAmerican(country(context))
      ? lost(9, 'routing number')
      : null,
  );
}

function lostZeroOfAccountNumber(sortCode: BesideOf): CellCheck {
  return lostZero((text, context) =>
    hasDigits(text, 7) && sortCode(context) !== '' ? lost(8, 'UK account number') : null,
  );
}

function lostZeroOf(kind: keyof typeof WORDS, country: BesideOf): CellCheck {
  return lostZero((text, context) => {
    const digits = shortOfZeros(kind, text, () => country(context));
    return digits === null ? null : lost(digits, `${WORDS[kind]} of that country`);
  });
}

const WORDS = { postCode: 'post code', bankCode: 'bank code' } as const;

function lostZero(find: CellCheck['find']): CellCheck {
  return { code: 'lost_leading_zero', find };
}

function hasDigits(text: string, count: number): boolean {
  return text.length === count && /^\d+$/.test(text);
}

function lost(digits: number, what: string): string {
  return `a ${what} of ${digits} digits; a spreadsheet probably took it for a number and dropped the zero it begins with`;
}

/** By country, where the number of digits is fixed and codes begin with zeros. */
const digitsOf = remembered(
  (kind: keyof typeof WORDS): ReadonlyMap<string, number> =>
    new Map(
      readData('code-digits.tsv').flatMap(([of, country = '', digits]) =>
        of === kind ? [[country, Number(digits)]] : [],
      ),
    ),
);

const MAX_LOST = 2;

/** What a code that lost zeros looks like: the longest of these codes has eight digits. */
const SHORTENED = /^\d{1,7}$/;

/** How many digits the code should have, where it lacks few enough to have lost zeros. */
function shortOfZeros(kind: keyof typeof WORDS, text: string, country: () => string): number | null {
  if (!SHORTENED.test(text)) return null;
  const digits = digitsOf(kind).get(knownCountry(country()));
  return digits !== undefined && text.length < digits && text.length >= digits - MAX_LOST ? digits : null;
}

const countries = new Map<string, string>();
const MAX_COUNTRIES = 1_000;

function knownCountry(written: string): string {
  const known = countries.get(written);
  if (known !== undefined) return known;
  const code = countryCode(written) ?? '';
  if (countries.size < MAX_COUNTRIES) countries.set(written, code);
  return code;
}

function isAmerican(country: string): boolean {
  return country === '' || knownCountry(country) === 'USA';
}
