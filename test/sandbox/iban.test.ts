import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isIban } from '../../src/sandbox/iban.ts';

test.each([
  'GB29NWBK60161331926819',
  'DE89 3704 0044 0532 0130 00',
  'fr1420041010050500013M02606',
  'NO9386011117947',
])('%s is an IBAN', (text) => {
  expect(isIban(text)).toBe(true);
});

test.each([
  '',
  'GB29',
  'GB29NWBK60161331926818',
  '12345678901234567',
  'GB2!NWBK60161331926819',
  'DE89-3704-0044-0532-0130-00',
])('"%s" is none', (text) => {
  expect(isIban(text)).toBe(false);
});

test('one wrong digit is always noticed', () => {
  const iban = 'DE89370400440532013000';
  fc.assert(
    fc.property(fc.integer({ min: 2, max: iban.length - 1 }), fc.integer({ min: 1, max: 9 }), (at, shift) => {
      const digit = (Number(iban[at]) + shift) % 10;
      expect(isIban(iban.slice(0, at) + digit + iban.slice(at + 1))).toBe(false);
    }),
  );
});
