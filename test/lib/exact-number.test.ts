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
