import { countryCode } from '../country-codes.ts';

/** Whether a rule of that country (ISO 3166-1 alpha-3) holds for a row that names this one, or none. */
export function isAtHomeIn(home: string, country: string): boolean {
  return country === '' || countryCode(country) === home;
}
