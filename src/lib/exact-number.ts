/** Numerals that a double keeps digit by digit: others are refused rather than rounded. */

/** At most 15 significant digits, which a double always keeps (IEEE 754 binary64). */
const ALWAYS_EXACT_LENGTH = 15;

/** Whether a JSON numeral (RFC 8259, 6) has the digits of its double's shortest decimal. */
export function isExactNumber(numeral: string): boolean {
  if (numeral.length <= ALWAYS_EXACT_LENGTH && !/[eE]/.test(numeral)) return true;
  const value = Number(numeral);
  return Number.isFinite(value) && canonical(numeral) === canonical(String(value));
}

/** Digits without zeros at either end, and the last one's power of ten. */
function canonical(numeral: string): string {
  const [mantissa = '', exponent = '0'] = numeral.replace(/^-/, '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = withoutTrailingZeros(digits);
  if (significant === '') return '0';
  return `${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

/** Not /0+$/, which takes quadratic time on a long run of zeros. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits.charAt(end - 1) === '0') end -= 1;
  return digits.slice(0, end);
}
