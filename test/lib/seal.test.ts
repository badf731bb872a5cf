import { createHash, randomBytes } from 'node:crypto';
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

  test('that was changed anywhere behind its mark is refused', () => {
    const box = seal.bytes('block', Buffer.from('a block'));
    fc.assert(
      fc.property(fc.integer({ min: 2, max: box.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, by) => {
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

test('a keyed digest is the nested one of HMAC, its inner digest as base64', () => {
  const padded = (key: string, by: number) => Buffer.from(key.padEnd(64, '\0')).map((byte) => byte ^ by);
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      fc.string({ unit: 'grapheme' }),
      (of, text) => {
        const key = Buffer.from(of);
        const digest = (by: number, content: string) =>
          createHash('sha256')
            .update(padded(key.toString('base64'), by))
            .update(content);
        const inner = digest(0x36, text.toWellFormed()).digest('base64');
        expect(keyedDigest(key)(text, 43)).toBe(digest(0x5c, inner).digest('base64url'));
      },
    ),
  );
});
