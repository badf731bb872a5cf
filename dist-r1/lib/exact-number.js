/** Numerals that a double keeps digit by digit: a number is refused where it would be rounded in silence. */
/** Numerals this short have at most 15 significant digits, which a double always keeps (IEEE 754 binary64). */
const ALWAYS_EXACT_LENGTH = 15;
/** Whether a JSON numeral (RFC 8259, section 6) survives becoming a double: the double's shortest decimal has the same digits. */
export function isExactNumber(numeral) {
    if (numeral.length <= ALWAYS_EXACT_LENGTH && !/[eE]/.test(numeral))
        return true;
    const value = Number(numeral);
    return Number.isFinite(value) && canonical(numeral) === canonical(String(value));
}
/** Digits without zeros at either end, and the power of ten of the last digit. The sign, which a double keeps, is left out. */
function canonical(numeral) {
    const [mantissa = '', exponent = '0'] = numeral.replace(/^-/, '').toLowerCase().split('e');
    const [whole = '', fraction = ''] = mantissa.split('.');
    const digits = (whole + fraction).replace(/^0+/, '');
    const significant = withoutTrailingZeros(digits);
    if (significant === '')
        return '0';
    return `${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}
/** No regular expression, since /0+$/ takes quadratic time on a long run of zeros. */
function withoutTrailingZeros(digits) {
    let end = digits.length;
    while (digits.charAt(end - 1) === '0')
        end -= 1;
    return digits.slice(0, end);
}
//# sourceMappingURL=exact-number.js.map