import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ByteEvidence, createEvidenceGatherer } from '../../src/intake/encoding.ts';
import type { Encoding } from '../../src/model/source.ts';
import { bytesOf, inspect, inspectError, raw } from './read-text.ts';

type Told = readonly [name: string, bytes: Buffer, encoding: Encoding, notes: readonly RegExp[]];

const TOLD: readonly Told[] = [
  ['ASCII alone is utf-8', raw('a,b\n1,2\n'), 'utf-8', []],
  ['an empty file is utf-8', raw(''), 'utf-8', []],
  ['valid sequences of several bytes are utf-8', raw('a\né € 😀 \uFFFD\n'), 'utf-8', []],
  ['a UTF-8 byte order mark decides', bytesOf('a\né\n', 'utf-8', { bom: true }), 'utf-8', []],
  [
    'a UTF-8 byte order mark decides over bytes that are not UTF-8',
    raw('{EF BB BF}a\n{E9}\n'),
    'utf-8',
    [/1 of its bytes, the first on line 2,/],
  ],
  ['a UTF-16LE byte order mark decides', bytesOf('a\né\n', 'utf-16le', { bom: true }), 'utf-16le', []],
  ['a UTF-16BE byte order mark decides', bytesOf('a\né\n', 'utf-16be', { bom: true }), 'utf-16be', []],
  ['NULs at odd places: UTF-16LE', bytesOf('a,b\né,Ā\n', 'utf-16le'), 'utf-16le', [/no byte order mark/]],
  ['NULs at even places: UTF-16BE', bytesOf('a,b\né,Ā\n', 'utf-16be'), 'utf-16be', [/no byte order mark/]],
  [
    'sequences of UTF-8 and bytes that are none stay utf-8',
    raw('a\né\nM{FC}ller\nx{FC}y\n'),
    'utf-8',
    [/utf-8, but 2 of its bytes, the first on line 3,/],
  ],
  ['a sequence that the end of the file cuts off stays utf-8', raw('a\n1\nM{C3}'), 'utf-8', []],
  ['a longer one too', raw('a\n1\n{F0 9F 98}'), 'utf-8', []],
  [
    'the same cut off, after other bytes that are not UTF-8, is a letter',
    raw('a\nM{FC}ller\nJos{E9}'),
    'windows-1252',
    [/would read all of it the same/],
  ],
  [
    'high bytes that all three read the same are windows-1252',
    raw('a\nM{FC}ller\nStra{DF}e 5{A0}m{B2}\n'),
    'windows-1252',
    [/iso-8859-1 and iso-8859-15 would read all of it the same/],
  ],
  [
    'bytes from 80 to 9F mean windows-1252, also beside A4',
    raw('a\n{A4}5\nD{92}Angelo {80}\n'),
    'windows-1252',
    [/the byte 0x92 \(line 3\)/],
  ],
  [
    'a byte without a character in windows-1252 is said',
    raw('a\nx\n{81}\n'),
    'windows-1252',
    [/the byte 0x81 \(line 3\) has no character/],
  ],
  ['A4 is a euro', raw('a\n5 {A4}\n'), 'iso-8859-15', [/the byte 0xA4 on line 2 fits as €, not as ¤/]],
  ['A4 is a euro beside a stray control character', raw('a\n{9D}\n5 {A4}\n'), 'iso-8859-15', [/as €/]],
  ['A6 at a word’s start is Š', raw('a\n{A6}koda\n'), 'iso-8859-15', [/the byte 0xA6 on line 2 fits as Š/]],
  ['A8 in a word is š', raw('a\nMilo{A8}\n'), 'iso-8859-15', [/fits as š/]],
  ['B8 in a word is ž', raw('a\nNe{B8}a\n'), 'iso-8859-15', [/fits as ž/]],
  ['BC in a word is Œ', raw('a\n{BC}uvre\n'), 'iso-8859-15', [/fits as Œ/]],
  ['BE in a word of capitals is Ÿ', raw('a\nLOU{BE}S\n'), 'iso-8859-15', [/fits as Ÿ/]],
  ['BD between letters is œ', raw('a\nc{BD}ur\n'), 'iso-8859-15', [/fits as œ/]],
  ['BD after a digit is ½', raw('a\n1{BD}\n'), 'windows-1252', [/byte 0xBD on line 2 fits as ½, not as œ/]],
  [
    'three accented letters in a row are no other alphabet',
    raw('a\n{C6 D8 C5} AS\n{C6 D8 C5} Oy\n'),
    'windows-1252',
    [/the same/],
  ],
  ['the line is told by CR too', raw('a\rx\r5 {A4}\r'), 'iso-8859-15', [/on line 3/]],
];

test.each(TOLD)('without a setting, %s', async (_, bytes, encoding, notes) => {
  const found = await inspect(bytes);
  expect(found.encoding).toBe(encoding);
  expect(found.notes).toEqual(notes.map((note) => expect.stringMatching(note)));
});

const UNTOLD: readonly (readonly [name: string, bytes: Buffer, message: RegExp])[] = [
  [
    'B4 in a word could be ´ or Ž',
    raw('a\nx\nD{B4}Angelo\n'),
    /byte 0xB4 on line 3 is ´ in windows-1252 and iso-8859-1 but Ž in iso-8859-15.*format\.encoding/,
  ],
  ['BD at the start of a word could be ½ or œ', raw('a\n{BD}uf\n'), /BD on line 2 is ½ .* œ/],
  ['two bytes contradict each other', raw('a\n1{BD}\n5 {A4}\n'), /byte 0xA4 on line 3/],
  ['a byte within a word is a letter in DOS', raw('a\nJ{84}ger\n'), /byte 0x84 stands within .* on line 2/],
  ['a byte within a word is one of central Europe', raw('a\nMicha{B3}owski\n'), /byte 0xB3 stands within/],
  ['a byte within a word is a letter on an old Mac', raw('a\nJos{8E}\n'), /byte 0x8E stands within/],
  [
    'one word of many is Cyrillic',
    raw('a\nM{FC}ller, J{F6}rg, Ren{E9}e, Zo{EB}, No{EB}l\n{CF F0 E8 E2}\n'),
    /another alphabet/,
  ],
  ['the text is Greek', raw('a\n{C1 E8 DE ED E1}\n'), /another alphabet/],
  ['the text is Cyrillic', raw('a\n{CF F0 E8 E2 E5 F2}\n'), /another alphabet.*UTF-8/],
  ['there is a NUL', raw('a,b\n1,{00}2\n'), /byte 7 is NUL, so this is no text/],
  ['it is UTF-32', raw('{FF FE 00 00}a{00 00 00}'), /utf-32/],
];

test.each(UNTOLD)('without a setting, a file is refused where %s', async (_, bytes, message) => {
  expect(await inspectError(bytes)).toMatch(/^UsageError: file\.csv: /);
  expect(await inspectError(bytes)).toMatch(message);
});

const NAMED: readonly (readonly [wanted: Encoding, bytes: Buffer, notes: readonly RegExp[]])[] = [
  ['iso-8859-15', raw('a\nD{B4}Angelo\n'), []],
  ['iso-8859-1', raw('a\nD{B4}Angelo\n'), []],
  ['windows-1252', raw('a\nJ{84}ger {81}\n'), []],
  ['windows-1252', raw('a\nM{C3 BC}ller\n'), [/all of it is valid utf-8/]],
  ['windows-1252', raw('a\nM{C3 BC}ller {E9}\n'), []],
  ['utf-8', raw('a\nM{FC}ller\n'), [/the first on line 2,/]],
  ['utf-8', bytesOf('a\né\n', 'utf-8', { bom: true }), []],
  ['utf-16le', bytesOf('a\né\n', 'utf-16le'), []],
  ['utf-16be', bytesOf('a\né\n', 'utf-16be', { bom: true }), []],
  ['utf-16le', bytesOf('a\n一一一\n', 'utf-16le'), []],
];

test.each(NAMED)('format.encoding %s holds where the bytes allow it (%#)', async (encoding, bytes, notes) => {
  const found = await inspect(bytes, { format: { encoding } });
  expect(found.encoding).toBe(encoding);
  expect(found.notes).toEqual(notes.map((note) => expect.stringMatching(note)));
});

const CONTRADICTED: readonly (readonly [wanted: Encoding, bytes: Buffer, message: RegExp])[] = [
  ['windows-1252', bytesOf('a\né\n', 'utf-8', { bom: true }), /begins with the byte order mark of utf-8/],
  ['iso-8859-1', bytesOf('a\né\n', 'utf-16le', { bom: true }), /byte order mark of utf-16le/],
  ['utf-8', bytesOf('a\né\n', 'utf-16be', { bom: true }), /byte order mark of utf-16be/],
  ['utf-16be', bytesOf('a\né\n', 'utf-16le', { bom: true }), /byte order mark of utf-16le/],
  ['utf-16be', bytesOf('a\né\n', 'utf-16le'), /where the other byte order has them/],
  ['utf-16le', raw('a,b\n1,2\n'), /none of the NUL bytes/],
  ['utf-8', bytesOf('a\né\n', 'utf-16le'), /looks like utf-16le/],
  ['windows-1252', raw('a\n{00}\n'), /byte 3 is NUL/],
];

test.each(CONTRADICTED)(
  'format.encoding %s is refused where the bytes contradict it (%#)',
  async (encoding, bytes, message) => {
    expect(await inspectError(bytes, { format: { encoding } })).toMatch(message);
  },
);

const REPORTS = [
  ['a CSV report', 'a,onboard_row\n"Müller",1\n', {}],
  ['a CSV report with a byte order mark', 'a,onboard_row\n"Müller",1\n', { bom: true }],
  ['an NDJSON report', '{"a":"Müller","_onboard":{"row":1}}\n', {}],
] as const;

test.each(REPORTS)(
  '%s is read as utf-8 under the definition of its windows-1252 file, and that is said',
  async (_, text, options) => {
    const found = await inspect(bytesOf(text, 'utf-8', options), { format: { encoding: 'windows-1252' } });
    expect(found).toMatchObject({ encoding: 'utf-8', notes: [expect.stringContaining('is a report')] });
  },
);

test('a report that a spreadsheet saved as windows-1252 is read as that', async () => {
  const bytes = bytesOf('a,onboard_row\nMüller,1\n', 'windows-1252');
  expect(await inspect(bytes, { format: { encoding: 'windows-1252' } })).toMatchObject({
    encoding: 'windows-1252',
  });
});

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
  fc.constantFrom(...'aZ7 \n\0é€😀').map((text) => Buffer.from(text)),
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
