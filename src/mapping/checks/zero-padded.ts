import { countryCode } from '../country-codes.ts';

/** By country, how many digits a code has; only where that is fixed and codes that begin with a zero are in use. */
const DIGITS = {
  // Universal Postal Union, addressing systems by country.
  postCode: {
    AUS: 4,
    BRA: 8,
    CHN: 6,
    DEU: 5,
    DNK: 4,
    ESP: 5,
    FIN: 5,
    FRA: 5,
    ITA: 5,
    JPN: 7,
    KOR: 5,
    MEX: 5,
    MYS: 5,
    NOR: 4,
    SVK: 5,
    TUR: 5,
    UKR: 5,
    USA: 5,
  },
  // The bank's part of the national account number.
  bankCode: { BRA: 3, ESP: 4, FRA: 5, ITA: 5, JPN: 4, MEX: 3, PRT: 4 },
} as const;

/** More lost zeros than this are less likely than another mistake. */
const MAX_LOST = 2;

/** What a code that lost its zeros looks like: no code of these has more digits. */
const SHORTENED = /^\d{1,7}$/;

/** The number of digits that the code should have, where it lacks so few that leading zeros are probably lost; else `null`. */
export function shortOfZeros(kind: keyof typeof DIGITS, text: string, country: () => string): number | null {
  if (!SHORTENED.test(text)) return null;
  const byCountry: Readonly<Record<string, number>> = DIGITS[kind];
  const digits = byCountry[knownCountry(country())];
  return digits !== undefined && text.length < digits && text.length >= digits - MAX_LOST ? digits : null;
}

/** A file names few countries many times. */
const countries = new Map<string, string>();
const MAX_COUNTRIES = 1_000;

function knownCountry(written: string): string {
  const known = countries.get(written);
  if (known !== undefined) return known;
  const code = countryCode(written) ?? '';
  if (countries.size < MAX_COUNTRIES) countries.set(written, code);
  return code;
}
