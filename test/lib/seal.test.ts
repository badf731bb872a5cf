import { createHmac, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CLEAR, createSeal, KEY_BYTES, keyedDigest } from '../../src/lib/seal.ts';

const bytes = fc.uint8Array({ maxLength: 300 }).map((content) => Buffer.from(content));
const seal = createSeal(randomBytes(KEY_BYTES), 'run-1');

describe('a box', () => {
  test('opens as what went in, and holds none of it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 12 }), bytes, (text, content) => {
        const box = seal.text('body 1', text);
        expect(Buffer.from(box, 'base64').includes(text)).toBe(false);
        expect(seal.openText('body 1', box)).toBe(text.toWellFormed());
        expect(seal.openBytes('block', seal.bytes('block', content))).toEqual(content);
      }),
    );
  });

  test('is never the same twice', () => {
    expect(new Set(Array.from({ length: 2_000 }, () => seal.text('a', 'b'))).size).toBe(2_000);
  });

  test('opens nowhere but at its place, its run and under its key', () => {
    const box = seal.text('body 1', 'text');
    const others = [
      createSeal(Buffer.alloc(KEY_BYTES, 1), 'run-1'),
      createSeal(randomBytes(KEY_BYTES), 'run-2'),
    ];
    expect(() => seal.openText('body 2', box)).toThrow();
    for (const other of others) expect(() => other.openText('body 1', box)).toThrow();
  });

  test('that was changed anywhere is refused', () => {
    const box = seal.bytes('block', Buffer.from('a block'));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: box.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const changed = Buffer.from(box);
        changed[at] = (changed[at] ?? 0) ^ by;
        expect(() => seal.openBytes('block', changed)).toThrow();
      }),
    );
  });

  test('bytes that are none are as they are', () => {
    expect(seal.openBytes('block', Buffer.from('plain'))).toEqual(Buffer.from('plain'));
    expect(CLEAR.text('a', 'b')).toBe('b');
  });
});

test('a keyed digest is the HMAC under the key’s base64 text', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      fc.string({ unit: 'grapheme' }),
      (of, text) => {
        const key = Buffer.from(of);
        const hmac = createHmac('sha256', key.toString('base64'))
          .update(text.toWellFormed())
          .digest('base64url');
        expect(keyedDigest(key)(text, 43)).toBe(hmac);
      },
    ),
  );
});
