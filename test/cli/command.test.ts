import { InvalidArgumentError } from 'commander';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wholeNumber } from '../../src/cli/command.ts';

test('any whole number from 1 is read', () => {
  fc.assert(fc.property(fc.integer({ min: 1, max: 999_999_999 }), (n) => wholeNumber(String(n)) === n));
});

test.each(['', '0', '-1', '1.5', '1e3', '0x10', ' 1', '1 ', '01', 'ten', '10000000000', '١'])(
  '%j is refused, with what was expected',
  (text) => {
    expect(() => wholeNumber(text)).toThrow(InvalidArgumentError);
    expect(() => wholeNumber(text)).toThrow('expected a whole number from 1.');
  },
);
