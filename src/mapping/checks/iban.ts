import { getCountrySpecifications } from 'ibantools';
import type { CellCheck } from './cell-check.ts';

/**
 * Finds IBANs that ISO 13616 doesn't allow: the country's length and characters, and the check digits. Spaces, as people
 * write them, and case don't matter here. The check digits inside of some national account numbers are not looked at:
 * what is damaged fails the outer ones already.
 */
export const ibanInvalid: CellCheck = {
  code: 'iban_invalid',
  find: (text) => (isIban(text) || isIban(compact(text)) ? null : problemOf(compact(text))),
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

function problemOf(iban: string): string | null {
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

/** With two digits more it is still a small integer, with which this is three times as fast. */
const SMALL = 9_999_999;

function valueAt(iban: string, at: number): number {
  const code = iban.charCodeAt(at);
  if (code >= 48 && code <= 57) return code - 48;
  return code >= 65 && code <= 90 ? code - 55 : -1;
}
