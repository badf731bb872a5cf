import fc from 'fast-check';
import { expect, it } from 'vitest';
import { identityOf } from '../../src/ledger/keys.ts';

it('given any key, keeps it in the bucket that the first 16 bits of its digest say', () => {
  fc.assert(
    fc.property(fc.string(), (key) => {
      const { bucket, digest } = identityOf(key);
      const bits = Buffer.from(digest, 'base64url').readUInt16BE(0);
      expect(bucket).toBe((bits % 16_384).toString(36));
    }),
    { numRuns: 1_000 },
  );
});
