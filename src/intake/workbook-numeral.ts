const NUMERAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/;

/** More digits than any double needs; a longer numeral is no number of a workbook. */
const MAX_DIGITS = 400;

/** Excel writes doubles with so many significant digits, 1.1 as 1.1000000000000001. */
const EXCEL_DIGITS = 17;
/** So many digits survive any double (IEEE 754), and Excel shows no more. */
const SAFE_DIGITS = 15;

/**
 * A cell's number in plain notation, `undefined` where it is none. The digits are the file's own, but for those that
 * only spell out a double: the fraction 1.1000000000000001 and 1.1 are the same double, and 1.1 is what was typed.
 */
export function plainNumeral(raw: string): string | undefined {
  const plain = withoutExponent(raw);
  if (plain === undefined || !plain.includes('.')) return plain;
  if (plain.replaceAll(/[-.]/g, '').replace(/^0+/, '').length <= SAFE_DIGITS) return plain;
  const value = Number(plain);
  const spelled = withoutExponent(value.toPrecision(EXCEL_DIGITS));
  return trimmed(spelled) === trimmed(plain) ? withoutExponent(String(value)) : plain;
}

/** Moves the point instead of multiplying, so that no digit changes. */
function withoutExponent(raw: string): string | undefined {
  const match = raw.length > MAX_DIGITS ? null : NUMERAL.exec(raw);
  if (match === null) return undefined;
  const [, signed, whole = '', fraction = '', power] = match;
  const sign = signed === '-' ? '-' : '';
  if (whole + fraction === '' || Math.abs(Number(power ?? 0)) > MAX_DIGITS) return undefined;
  if (power === undefined && whole !== '')
    return fraction === '' ? sign + whole : `${sign}${whole}.${fraction}`;
  return sign + shifted(whole + fraction, whole.length + Number(power ?? 0));
}

/** The digits with the point at a place that may lie outside them, without zeros that the shift would leave in front. */
function shifted(digits: string, point: number): string {
  const padded = digits.padEnd(point, '0');
  const whole = point > 0 ? padded.slice(0, point) : '';
  const fraction = point > 0 ? padded.slice(point) : '0'.repeat(-point) + digits;
  const front = whole.replace(/^0+(?=\d)/, '') || '0';
  return fraction === '' || /^0+$/.test(fraction) ? front : `${front}.${fraction}`;
}

function trimmed(plain: string | undefined): string | undefined {
  return plain?.includes('.') ? plain.replace(/\.?0+$/, '') : plain;
}
