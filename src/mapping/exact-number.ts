/** Numerals this short have at most 15 significant digits, which a double always keeps (IEEE 754). */
const ALWAYS_EXACT_LENGTH = 15;

/** No double needs as many characters; without a limit, a cell of a million zeros would keep the regular expressions busy. */
const MAX_LENGTH = 400;

/**
 * The number that a JSON numeral (RFC 8259, section 6) stands for, or `undefined` where a double can't keep every digit:
 * the shortest decimal of the double has to be the numeral again, zeros at either end aside.
 */
export function exactNumber(numeral: string): number | undefined {
  if (numeral.length > MAX_LENGTH) return undefined;
  const value = Number(numeral);
  if (value === 0) return isZero(numeral) ? 0 : undefined;
  if (numeral.length <= ALWAYS_EXACT_LENGTH && !/[eE]/.test(numeral)) return value;
  return Number.isFinite(value) && sameDecimal(numeral, String(value)) ? value : undefined;
}

function isZero(numeral: string): boolean {
  return !/^[^eE]*[1-9]/.test(numeral);
}

function sameDecimal(a: string, b: string): boolean {
  const first = decimalOf(a);
  const second = decimalOf(b);
  return first.digits === second.digits && first.exponent === second.exponent;
}

/** Sign and digits without zeros at either end, and the power of ten of the last digit. */
function decimalOf(numeral: string): { readonly digits: string; readonly exponent: number } {
  const [mantissa = '', power = '0'] = numeral.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  const sign = mantissa.startsWith('-') ? '-' : '';
  const exponent = Number(power) - fraction.length + (digits.length - significant.length);
  return { digits: sign + significant, exponent };
}
