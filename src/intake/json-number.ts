/** Up to here every decimal is told apart by a double (IEEE 754 binary64 keeps 15 significant digits). */
const SAFE_LENGTH = 15;

/** Whether a JSON number survives becoming a double: the double's shortest decimal has the same digits. */
export function isExactNumber(literal: string): boolean {
  if (literal.length <= SAFE_LENGTH && !/[eE]/.test(literal)) return true;
  const value = Number(literal);
  return Number.isFinite(value) && canonical(literal) === canonical(String(value));
}

/** Digits without zeros at either end, and the power of ten of the last one; the sign doesn't matter here. */
function canonical(literal: string): string {
  const [mantissa = '', exponent = '0'] = literal.replace(/^-/, '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = withoutTrailingZeros(digits);
  if (significant === '') return '0';
  return `${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

/** Not a regular expression: /0+$/ takes quadratic time on a long run of zeros. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits.charAt(end - 1) === '0') end -= 1;
  return digits.slice(0, end);
}
