import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shortDigest } from '../../src/lib/digest.ts';

test('it is the beginning of the SHA-256 in base64url', () => {
  // `printf abc | openssl dgst -sha256 -binary | base64` (FIPS 180-4's own example).
  expect(shortDigest('abc', 43)).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0');
  expect(shortDigest('abc', 8)).toBe('ungWv48B');
  // UTF-8: `printf 'é' | openssl dgst -sha256 -binary | base64`.
  expect(shortDigest('\u00e9', 12)).toBe('SplVfkAzw1Od');
});

test('it has the length asked for, and only signs that can stand in a Redis key or a file name', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: 43 }), (text, length) => {
      expect(shortDigest(text, length)).toMatch(new RegExp(`^[\\w-]{${length}}$`));
      expect(shortDigest(text, 43).startsWith(shortDigest(text, length))).toBe(true);
    }),
  );
});
