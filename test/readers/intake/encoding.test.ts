import fc from 'fast-check';
import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import type { Encoding } from '../../../src/model/source.ts';
import { bytesOf, raw, readError, readText, toldEncoding, untoldError } from './read-text.ts';

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
    [/bytes that are none of it, the first on line 2:/],
  ],
  ['a UTF-16LE byte order mark decides', bytesOf('a\né\n', 'utf-16le', { bom: true }), 'utf-16le', []],
  ['a UTF-16BE byte order mark decides', bytesOf('a\né\n', 'utf-16be', { bom: true }), 'utf-16be', []],
  ['NULs at odd places: UTF-16LE', bytesOf('a,b\né,Ā\n', 'utf-16le'), 'utf-16le', [/no byte order mark/]],
  ['NULs at even places: UTF-16BE', bytesOf('a,b\né,Ā\n', 'utf-16be'), 'utf-16be', [/no byte order mark/]],
];

test.each(TOLD)('without a setting, %s', async (_, bytes, encoding, notes) => {
  const found = await toldEncoding(bytes);
  expect(found.encoding).toBe(encoding);
  expect(found.notes).toEqual(notes.map((note) => expect.stringMatching(note)));
});

const UNTOLD: readonly (readonly [name: string, bytes: Buffer, message: RegExp])[] = [
  [
    'a byte is none of utf-8',
    raw('a\nx\nM{FC}ller GmbH\n'),
    /line 3 is not utf-8.*windows-1252 \("Müller GmbH"\)/,
  ],
  ['its lines end with CR', raw('a\rx\rM{FC}ller\r'), /line 3 is not utf-8.*"Müller"\)/],
  ['the end of the file cuts a sequence off', raw('a\n1\nM{C3}'), /line 3 is not utf-8/],
  [
    'only some of its lines are none',
    raw('a\né\nM{FC}ller\n'),
    /line 3 .* format\.encoding: utf-8, which leaves/,
  ],
  ['there is a NUL', raw('a,b\n1,{00}2\n'), /byte 7 is NUL, so this is no text/],
  ['it is UTF-32', raw('{FF FE 00 00}a{00 00 00}'), /utf-32/],
];

test.each(UNTOLD)('without a setting, a file is refused where %s', async (_, bytes, message) => {
  expect(await untoldError(bytes)).toMatch(/^UsageError: file\.csv: /);
  expect(await untoldError(bytes)).toMatch(message);
});

test('whoever does not look at the file is told the encodings, and nothing of its text', async () => {
  const words = await toldEncoding(raw('a\nM{FC}ller\n')).catch(String);
  expect(words).toMatch(/line 2 is not utf-8: .* most likely windows-1252 or .*`onboard preview FILE` shows/);
  expect(words).not.toMatch(/M.ller/);
});

test('a refusal shows the part of a long line that the encodings read in different ways', async () => {
  const line = `${'x'.repeat(500)};${'y'.repeat(100)} Gy{F5}ri Keksz Kft.;${'z'.repeat(5000)}`;
  const message = await untoldError(raw(`a\n${line}\n`));
  expect(message).toContain('Győri Keksz Kft.');
  expect(message.length).toBeLessThan(800);
});

const NAMES = [
  ...[
    'Müller & Söhne',
    'Société Générale',
    'Peñarol Ltda.',
    'Città di Forlì',
    'Łódź Spółka',
    'Győri Keksz Kft.',
  ],
  ...[
    'Žďár Škoda',
    'Şişli Gıda',
    'Ålborg Ø',
    'Šiaulių bankas',
    'Ромашка',
    'Αθήνα Α.Ε.',
    '東京商事',
    '北京公司',
  ],
];
const TABLES = [
  ...['windows-1252', 'windows-1250', 'windows-1251', 'windows-1253', 'windows-1254', 'windows-1257'],
  ...['iso-8859-1', 'iso-8859-2', 'iso-8859-5', 'iso-8859-7', 'iso-8859-9', 'iso-8859-15', 'macintosh'],
  ...['cp850', 'cp852', 'cp866', 'koi8-r', 'shift_jis', 'gbk', 'big5'],
];

/** The text in an encoding that can hold it, `null` for the others. */
function encoded(text: string, encoding: string): Buffer | null {
  const bytes = iconv.encode(text, encoding);
  return iconv.decode(bytes, encoding) === text ? bytes : null;
}

describe.each(TABLES)('of names in 14 languages in %s', (encoding) => {
  const files = NAMES.flatMap((name) => {
    const bytes = encoded(`id,name\n1,${name}\n`, encoding);
    return bytes === null ? [] : [{ name, bytes }];
  });

  test('none comes in as another name', async () => {
    expect(files.length).toBeGreaterThan(0);
    for (const { bytes } of files)
      expect(await readError(bytes)).toMatch(/is not utf-8: expected format\.encoding/);
  });

  test('each comes in as it was written where the setting names the encoding', async () => {
    for (const { name, bytes } of files) {
      const { rows } = await readText(bytes, { format: { encoding } });
      expect(rows).toMatchObject([{ cells: ['1', name] }]);
    }
  });
});

test.each([
  ['windows-1250', 'Győri Keksz Kft.'],
  ['windows-1252', 'Société Générale'],
  ['windows-1251', 'Ромашка'],
  ['windows-1253', 'Αθήνα Α.Ε.'],
  ['macintosh', 'Müller & Söhne'],
  ['cp850', 'Müller & Söhne'],
  ['shift_jis', '東京商事'],
  ['gbk', '北京公司'],
])('a refusal of %s shows among others how it is written: %s', async (encoding, name) => {
  expect(await untoldError(encoded(`id,name\n1,${name}\n`, encoding) ?? raw(''))).toContain(name);
});

const NAMED: readonly (readonly [wanted: Encoding, bytes: Buffer, notes: readonly RegExp[]])[] = [
  ['iso-8859-15', raw('a\nD{B4}Angelo\n'), []],
  ['iso-8859-1', raw('a\nD{B4}Angelo\n'), []],
  ['windows-1252', raw('a\nJ{84}ger {81}\n'), []],
  ['windows-1252', raw('a\nM{C3 BC}ller {E9}\n'), []],
  ['utf-8', raw('a\nM{FC}ller\n'), [/the first on line 2: .* Save the file again/]],
  ['utf-8', bytesOf('a\né\n', 'utf-8', { bom: true }), []],
  ['utf-16le', bytesOf('a\né\n', 'utf-16le'), []],
  ['utf-16be', bytesOf('a\né\n', 'utf-16be', { bom: true }), []],
  ['utf-16le', bytesOf('a\n一一一\n', 'utf-16le'), []],
];

test.each(['windows-1252', 'iso-8859-15', 'macintosh', 'gbk'])(
  'text that is utf-8 to its end is no %s, whatever the block boundaries',
  async (encoding) => {
    const bytes = raw(`a\n${'x'.repeat(100_000)}\nM{C3 BC}ller\n`);
    for (const blockBytes of [1 << 16, 100_004])
      await expect(toldEncoding(bytes, { format: { encoding }, blockBytes })).rejects.toThrow(
        `file.csv: the text is not ${encoding}, as format.encoding says: it is valid utf-8 to its end`,
      );
  },
);

test.each(NAMED)('format.encoding %s holds where the bytes allow it (%#)', async (encoding, bytes, notes) => {
  const found = await toldEncoding(bytes, { format: { encoding } });
  expect(found.encoding).toBe(encoding);
  expect(found.notes).toEqual(notes.map((note) => expect.stringMatching(note)));
});

const CONTRADICTED: readonly (readonly [wanted: Encoding, bytes: Buffer, message: RegExp])[] = [
  ['windows-1252', bytesOf('a\né\n', 'utf-8', { bom: true }), /begins with the byte order mark of utf-8/],
  ['iso-8859-1', bytesOf('a\né\n', 'utf-16le', { bom: true }), /byte order mark of utf-16le/],
  ['utf-8', bytesOf('a\né\n', 'utf-16be', { bom: true }), /byte order mark of utf-16be/],
  ['utf-16be', bytesOf('a\né\n', 'utf-16le', { bom: true }), /byte order mark of utf-16le/],
  ['utf-16be', bytesOf('a\né\n', 'utf-16le'), /NUL bytes where utf-16le has them; correct format\.encoding/],
  ['utf-16le', raw('a,b\n1,2\n'), /has not the NUL bytes/],
  ['utf-8', bytesOf('a\né\n', 'utf-16le'), /looks like utf-16le/],
  ['windows-1252', raw('a\n{00}\n'), /byte 3 is NUL/],
];

test.each(CONTRADICTED)(
  'format.encoding %s is refused where the bytes contradict it (%#)',
  async (encoding, bytes, message) => {
    expect(await untoldError(bytes, { format: { encoding } })).toMatch(message);
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
    const found = await toldEncoding(bytesOf(text, 'utf-8', options), {
      format: { encoding: 'windows-1252' },
    });
    expect(found).toMatchObject({ encoding: 'utf-8', notes: [expect.stringContaining('is a report')] });
  },
);

test('a report that a spreadsheet saved as windows-1252 is read as that', async () => {
  const bytes = bytesOf('a,onboard_row\nMüller,1\n', 'windows-1252');
  expect(await toldEncoding(bytes, { format: { encoding: 'windows-1252' } })).toMatchObject({
    encoding: 'windows-1252',
  });
});

/** Mostly what UTF-8 and single-byte files hold, so that sequences, cut ones and stray bytes come up. */
const anyPart = fc.oneof(
  fc.constantFrom(...'aZ7 \n\0é€😀').map((text) => Buffer.from(text)),
  fc.uint8Array({ minLength: 1, maxLength: 3 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom('C3', 'E2 82', 'F0 9F 98', 'A4', 'ED A0 80', 'C0 80').map((hex) => raw(`{${hex}}`)),
);
const anyBytes = fc.array(anyPart, { maxLength: 30 }).map((parts) => Buffer.concat(parts));

test('any cut of the bytes tells the same encoding, notes and refusal', async () => {
  // How many bytes around the line there are to choose the likeliest encodings by depends on the cut.
  const outcome = (bytes: Buffer, encoding: string, blockBytes: number) =>
    toldEncoding(bytes, { format: { encoding }, blockBytes }).catch((error) =>
      String(error).replace(/, most likely .* reads it\)/, ''),
    );
  const encodings = fc.constantFrom('auto', 'utf-8', 'windows-1252');
  await fc.assert(
    fc.asyncProperty(anyBytes, encodings, fc.integer({ min: 1, max: 6 }), async (bytes, encoding, size) => {
      expect(await outcome(bytes, encoding, size)).toEqual(await outcome(bytes, encoding, 1 << 16));
    }),
    { numRuns: 500 },
  );
});
