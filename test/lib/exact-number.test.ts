import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isExactNumber } from '../../src/lib/exact-number.ts';

const NUMBERS = [
  { literal: '0', exact: true },
  { literal: '-0', exact: true },
  { literal: '1.10', exact: true },
  { literal: '9007199254740992', exact: true },
  { literal: '9007199254740993', exact: false },
  { literal: '12345678901234567890', exact: false },
  { literal: '0.1', exact: true },
  { literal: '0.1000000000000000055', exact: false },
  { literal: '1e21', exact: true },
  { literal: '100e-2', exact: true },
  { literal: '1e400', exact: false },
  { literal: '1e-400', exact: false },
  { literal: '0.0e99999', exact: true },
  { literal: '0.1e-6', exact: true },
  { literal: '1E400', exact: false },
  { literal: '0.1234567890123456789', exact: false },
  { literal: '1.0000000000000000000001', exact: false },
];

test.each(NUMBERS)('the number $literal is exact: $exact', ({ literal, exact }) => {
  expect(isExactNumber(literal)).toBe(exact);
});

/** No double's shortest decimal has that many digits. */
const TOO_MANY = 18;

test('a number as JavaScript writes it is exact, and one of more digits than a double has is not', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      fc.pre(value !== 0);
      const [mantissa = '', exponent = '0'] = String(value).split('e');
      expect(isExactNumber(String(value))).toBe(true);
      const digits = mantissa.includes('.') ? mantissa : `${mantissa}.0`;
      expect(isExactNumber(`${digits}${'0'.repeat(TOO_MANY)}e${exponent}`)).toBe(true);
      expect(isExactNumber(`${digits}${'0'.repeat(TOO_MANY)}1e${exponent}`)).toBe(false);
    }),
  );
});
