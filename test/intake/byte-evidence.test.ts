import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ByteEvidence, createEvidenceGatherer } from '../../src/intake/encoding.ts';
import { raw } from './bytes-of.ts';

function gather(bytes: Buffer, sizes: readonly number[] = [1 << 16]): ByteEvidence {
  const gatherer = createEvidenceGatherer();
  let at = 0;
  for (let i = 0; at < bytes.length; i += 1) {
    const size = sizes[i % sizes.length] ?? 1;
    gatherer.add(bytes.subarray(at, at + size));
    at += size;
  }
  return gatherer.end();
}

/** Mostly what UTF-8 and single-byte files hold, so that sequences, cut ones and stray bytes come up. */
const anyPart = fc.oneof(
  fc.constantFrom('a', 'Z', '7', ' ', '\n', '\0', 'é', '€', '😀').map((text) => Buffer.from(text)),
  fc.uint8Array({ minLength: 1, maxLength: 3 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom('C3', 'E2 82', 'F0 9F 98', 'A4', 'ED A0 80', 'C0 80').map((hex) => raw(`{${hex}}`)),
);
const anyBytes = fc.array(anyPart, { maxLength: 30 }).map((parts) => Buffer.concat(parts));

test('any cut of the bytes gives the same evidence', () => {
  fc.assert(
    fc.property(anyBytes, fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1 }), (bytes, sizes) => {
      const { contexts, ...found } = gather(bytes, sizes);
      const { contexts: expected, ...rest } = gather(bytes);
      const isClean = isUtf8(bytes);
      expect({ ...found, contexts: [...contexts] }).toEqual({ ...rest, contexts: [...expected] });
      expect(found.invalid === 0 && contexts.size === 0).toBe(isClean);
    }),
    { numRuns: 500 },
  );
});

test('bytes that are no UTF-8 are counted, and the first is placed', () => {
  expect(gather(raw('aé{E9}b{80 E9} €{ED A0 80}'))).toMatchObject({
    bytes: 14,
    hasUtf8: true,
    invalid: 6,
    firstInvalid: 3,
    adjacent: 5,
  });
});

test('NULs are counted by their place, even and odd', () => {
  expect(gather(raw('a{00 00}b{00}'), [2])).toMatchObject({ nuls: [2, 1], firstNul: 1 });
});
