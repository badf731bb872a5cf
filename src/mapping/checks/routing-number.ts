import { isRoutingNumber } from './aba-checksum.ts';
import type { BesideOf, CellCheck } from './cell-check.ts';
import { isAtHomeIn } from './home-country.ts';

/** Finds routing numbers that can't be one of the United States, unless the row names another country. */
export function routingNumberInvalid(country: BesideOf): CellCheck {
  return {
    code: 'routing_number_invalid',
    find(text, context) {
      return isRoutingNumber(text) || !isAtHomeIn('USA', country(context)) ? null : problemOf(text);
    },
  };
}

function problemOf(text: string): string {
  return /^\d{9}$/.test(text)
    ? 'a routing number whose check digit fits (ABA); a digit is probably wrong, or two have changed places'
    : 'a routing number of 9 digits; a digit is probably missing or too many';
}
