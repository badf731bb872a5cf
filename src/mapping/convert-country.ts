import type { Conversion } from './conversion.ts';
import { countryCode } from './country-codes.ts';

/**
 * A conversion to the three-letter code (service-api.md, 2.1). Three letters that ISO 3166-1 doesn't have are passed on:
 * the service's list of codes is not shown, so the service is the judge.
 */
export const countryConversion: Conversion = {
  fromText: (text) => countryCode(text) ?? (/^[A-Za-z]{3}$/.test(text) ? text.toUpperCase() : undefined),
  fromJson: () => undefined,
  expected: 'a country: two- or three-letter ISO 3166 code or English name',
};
