import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isExactNumber } from '../../src/lib/exact-number.ts';

test('whatever the number, it is exact where its decimal survives a double', () => {
  fc.assert(
    fc.property(fc.bigInt(), fc.nat(30), (digits, scale) => {
      const text = digits
        .toString()
        .replace('-', '')
        .padStart(scale + 1, '0');
      const literal = scale === 0 ? text : `${text.slice(0, -scale)}.${text.slice(-scale)}`;
      const printed = decimal(Number(literal));
      expect(isExactNumber(literal.replace(/^0+(?=\d)/, ''))).toBe(printed === decimalOf(literal));
    }),
    { numRuns: 2000 },
  );
});

/** A double's shortest decimal, without an exponent. */
function decimal(value: number): string {
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const shift = Number(exponent);
  const digits = whole + fraction;
  const point = whole.length + shift;
  if (point <= 0) return decimalOf(`0.${'0'.repeat(-point)}${digits}`);
  return decimalOf(`${digits.slice(0, point).padEnd(point, '0')}.${digits.slice(point)}`);
}

function decimalOf(literal: string): string {
  const [whole = '', fraction = ''] = literal.split('.');
  return `${whole.replace(/^0+/, '')}.${fraction.replace(/0+$/, '')}`;
}

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
