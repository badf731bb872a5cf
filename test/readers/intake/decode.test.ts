import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Encoding } from '../../../src/model/source.ts';
import { BAD_BYTES, decodeText } from '../../../src/readers/intake/decode.ts';
import { bytesOf, inBlocks, raw } from './read-text.ts';

/** The text of bytes that come in blocks of that size, with `?` where a byte is no character. */
async function decode(bytes: Buffer, encoding: Encoding, blockBytes = 1 << 16): Promise<string> {
  let text = '';
  for await (const part of decodeText(inBlocks(bytes, blockBytes), encoding, 'file.csv')) text += part;
  return text.replaceAll(BAD_BYTES, '?');
}

const BROKEN: readonly (readonly [Encoding, bytes: Buffer, text: string])[] = [
  ['utf-8', raw('a\uFFFD\nM{FC}ller\n{E2 82}'), 'a\uFFFD\nM?ller\n?'],
  ['utf-16le', raw('a{00 00 D8}b{00}'), 'a?b'],
  ['utf-16le', raw('a{00 00 DC}b{00}'), 'a?b'],
  ['utf-16le', raw('a{00 3D D8 3D D8 00 DE}'), 'a?😀'],
  ['utf-16le', raw('a{00 3D D8}'), 'a?'],
  ['utf-16le', raw('a{00}b'), 'a?'],
  ['utf-16le', raw('a{00 3D D8 00}'), 'a??'],
  ['utf-16be', raw('{00}a{D8 00 00}b'), 'a?b'],
  ['utf-16be', raw('{00}a{D8 3D DE 00 DE 00}'), 'a😀?'],
  ['utf-16be', raw('{00}a{D8 3D}'), 'a?'],
  ['utf-16be', raw('{00}a{00}'), 'a?'],
  ['utf-16be', raw('{00}a{D8 00 D8 00}'), 'a??'],
];

test.each(BROKEN)(
  'in %s, what is no character is marked, wherever the blocks are cut (%#)',
  async (encoding, bytes, text) => {
    for (const size of [1, 2, 3, 4, 5, 100]) expect(await decode(bytes, encoding, size)).toBe(text);
  },
);

test('a U+FFFD that the file holds is no mark', async () => {
  for (const encoding of ['utf-8', 'utf-16le', 'utf-16be'] as const)
    expect(await decode(bytesOf('a\uFFFDb', encoding), encoding)).toBe('a\uFFFDb');
});

const NULS: readonly (readonly [Encoding, bytes: Buffer])[] = [
  ['utf-8', raw('abcd{00}')],
  ['windows-1252', raw('abcd{00}')],
  ['utf-16le', raw('a{00}b{00 00 00}')],
  ['utf-16be', raw('{00}a{00}b{00 00}')],
  ['utf-16le', raw('{00 D8}b{00 00 00}')],
  ['utf-16be', raw('{01 00 DC 01 00 00}')],
];

test.each(NULS)('in %s, U+0000 is no text', async (encoding, bytes) => {
  await expect(decode(bytes, encoding, 3)).rejects.toThrow(/^file\.csv: byte 5 is NUL, so this is no text/);
});

const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'iso-8859-15', 'macintosh', 'gbk'];

const anyBytes = fc.uint8Array({ min: 1, maxLength: 40 }).map((bytes) => Buffer.from(bytes));
const anySize = fc.integer({ min: 1, max: 7 });

test.each(ENCODINGS)('in %s, any cut of any bytes gives the same text', async (encoding) => {
  // Bytes alone seldom make a surrogate or a sequence of several bytes.
  const part = fc.oneof(
    anyBytes,
    fc.constantFrom(raw('{E2 82 AC}'), raw('{F0 9F 98 80}'), raw('{3D D8 00 DE}')),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(part), anySize, async (parts, size) => {
      const bytes = Buffer.concat(parts.map((bytes) => Buffer.from(bytes.filter((byte) => byte !== 0))));
      expect(await decode(bytes, encoding, size)).toBe(await decode(bytes, encoding));
    }),
    { numRuns: 200 },
  );
});
