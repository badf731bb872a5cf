import { isRoutingNumber } from './aba-checksum.ts';
import type { BesideOf, CellCheck } from './cell-check.ts';
import { isAtHomeIn } from './home-country.ts';
import { shortOfZeros } from './zero-padded.ts';

/** A UK sort code with five digits. */
export const lostZeroOfSortCode = lostZero((text) => (hasDigits(text, 5) ? lost(6, 'sort code') : null));

/** A CNAPS code with eleven digits. */
export const lostZeroOfCnaps = lostZero((text) => (hasDigits(text, 11) ? lost(12, 'CNAPS code') : null));

/** A routing number of the United States with eight digits, which a zero before them makes a valid one. */
export function lostZeroOfRoutingNumber(country: BesideOf): CellCheck {
  return lostZero((text, context) =>
    hasDigits(text, 8) && isRoutingNumber(`0${text}`) && isAtHomeIn('USA', country(context))
      ? lost(9, 'routing number')
      : null,
  );
}

/** An account number with seven digits where a UK sort code stands beside it. */
export function lostZeroOfAccountNumber(sortCode: BesideOf): CellCheck {
  return lostZero((text, context) =>
    hasDigits(text, 7) && sortCode(context) !== '' ? lost(8, 'UK account number') : null,
  );
}

/** A post code of a country whose codes have a fixed number of digits and can begin with zeros. */
export function lostZeroOfPostCode(country: BesideOf): CellCheck {
  return lostZero((text, context) => {
    const digits = shortOfZeros('postCode', text, () => country(context));
    return digits === null ? null : lost(digits, 'post code of that country');
  });
}

/** The same for a bank's code. */
export function lostZeroOfBankCode(country: BesideOf): CellCheck {
  return lostZero((text, context) => {
    const digits = shortOfZeros('bankCode', text, () => country(context));
    return digits === null ? null : lost(digits, 'bank code of that country');
  });
}

function lostZero(find: CellCheck['find']): CellCheck {
  return { code: 'lost_leading_zero', find };
}

function hasDigits(text: string, count: number): boolean {
  return text.length === count && /^\d+$/.test(text);
}

function lost(digits: number, what: string): string {
  return `a ${what} of ${digits} digits; a spreadsheet probably took it for a number and dropped the zero it begins with`;
}
