const ZERO = 48;

/**
 * Whether the text is nine digits that are a routing number of the American Bankers Association: their sum, weighted
 * 3, 7, 1 in turn, is a multiple of ten.
 */
export function isRoutingNumber(text: string): boolean {
  if (text.length !== 9) return false;
  let sum = 0;
  for (let i = 0; i < 9; i += 1) {
    const digit = text.charCodeAt(i) - ZERO;
    if (digit < 0 || digit > 9) return false;
    sum += digit * (i % 3 === 0 ? 3 : i % 3 === 1 ? 7 : 1);
  }
  return sum % 10 === 0;
}
