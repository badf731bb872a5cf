import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listPointers } from '../../../../src/readers/intake/json/json.ts';
import { brief, readError, readText } from '../read-text.ts';

const PRETTY = '{\n  "a": 1,\n  "b": "} ]"\n}';

const noObject = (what: string) => `! ${what} and no record: expected an object in { }`;

const FILES = [
  [
    'a list gives its objects’ text',
    'f.json',
    '[ {"a": 1 },\n{"b":"x"}]\n',
    ['1: {"a": 1 }', '2: {"b":"x"}'],
  ],
  ['a list may be pretty-printed', 'f.json', `[\n${PRETTY},\n${PRETTY}\n]`, [`2: ${PRETTY}`, `6: ${PRETTY}`]],
  ['an empty list has no rows', 'f.json', '\n[ ]\n', []],
  [
    'brackets, quotes and escapes in strings are text',
    'f.json',
    '[{"a":"]},\\"\\\\"},{"b":"\\u005b"}]',
    ['1: {"a":"]},\\"\\\\"}', '1: {"b":"\\u005b"}'],
  ],
  [
    'elements that are no objects are unreadable rows',
    'f.json',
    '[1,{"a":1},"x",[{}],null]',
    [
      `1: ${noObject('a number')}`,
      '1: {"a":1}',
      ...['a text', 'a list', 'null'].map((what) => `1: ${noObject(what)}`),
    ],
  ],
  [
    'NDJSON: a row per line',
    'f.ndjson',
    '{"a":1}\n\n {"b":2} \r\n{"c":3}',
    ['1: {"a":1}', '3: {"b":2}', '4: {"c":3}'],
  ],
  [
    'an NDJSON line that is no JSON is an unreadable row',
    'f.jsonl',
    '{"a":1}\n {"b":}\n{"c":3}\n',
    ['1: {"a":1}', '2: ! broken JSON in column 7: expected a value', '3: {"c":3}'],
  ],
  [
    'an NDJSON line that is no object is an unreadable row',
    'f.ndjson',
    '{"a":1}\n[1]\n',
    ['1: {"a":1}', `2: ${noObject('a list')}`],
  ],
  [
    'a bad first line of NDJSON is an unreadable row',
    'f.ndjson',
    'x\n{"a":1}\n',
    ['1: ! broken JSON in column 1: expected a value', '2: {"a":1}'],
  ],
  ['one printed object is one record', 'f.json', `${PRETTY}\n`, [`1: ${PRETTY}`]],
  [
    'printed objects that follow each other are records',
    'f.json',
    `\n${PRETTY}\n${PRETTY} {"c":1}`,
    [`2: ${PRETTY}`, `6: ${PRETTY}`, '9: {"c":1}'],
  ],
] as const;

test.each(FILES)('%s', async (_, path, text, rows) => {
  const { rows: read, source } = await readText(text, { path });
  expect(read.map(brief)).toEqual(rows);
  expect(read.map((row) => row.row)).toEqual(rows.map((_, i) => i + 1));
  expect(source).toMatchObject({ encoding: 'utf-8', bom: false, delimiter: null, quote: null });
});

const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

const LONG = 'x'.repeat(1_200_000);

const OBJECTS = [
  ['a member given twice', '{"a":1,"b":{"c":1,"c":2}}', 'the member "c" is given twice: expected it once'],
  ['a member twice, once escaped', '{"a":1,"\\u0061":2}', 'the member "a" is given twice: expected it once'],
  [
    'a number with too many digits',
    '{"a":[12345678901234567890]}',
    'a number with more digits than a JSON number keeps: expected it in quotes, as a string',
  ],
  ['a prototype', '{"a":{"__proto__":{}}}', 'the member "__proto__" is refused: expected another name'],
  [
    'an escaped prototype',
    '{"\\u005f_proto__":1}',
    'the member "__proto__" is refused: expected another name',
  ],
  [
    'one in a path',
    '{"a.constructor.b":1}',
    'the member "a.constructor.b" is refused: expected another name',
  ],
  [
    'a path spelled by two members',
    '{"a.b":1,"a":{"b":2}}',
    'the field "a.b" is given twice, once by a name with dots: expected it once',
  ],
  ['nesting too deep', deep(33), 'nested deeper than 32 levels: expected a flatter record'],
  [
    'nesting so deep that it could exhaust the stack',
    deep(50_000),
    'nested deeper than 32 levels: expected a flatter record',
  ],
] as const;

const SHAPES = [
  ['a list', 'f.json', (object: string) => `[{"x":1},\n${object},\n{"y":2}]`],
  ['NDJSON', 'f.ndjson', (object: string) => `{"x":1}\n${object}\n{"y":2}\n`],
  ['a sequence', 'f.json', (object: string) => `{"x":1}{"z":1}\n${object}\n{\n"y":2}\n`],
] as const;

const CASES = OBJECTS.flatMap(([name, text, problem]) =>
  SHAPES.map(([shape, path, wrap]) => [`${name} in ${shape}`, path, text, wrap(text), problem] as const),
);

test.each(CASES)('%s makes that row unreadable and no other', async (_, path, text, file, problem) => {
  const { rows } = await readText(file, { path, blocks: [70_001] });
  const bad = rows.filter((row) => row.kind === 'unreadable');
  const cut = text.length > 65_536 ? '; of its text the first 65536 characters are kept' : '';
  expect(bad.map(brief)).toEqual([`2: ! ${problem}${cut}`]);
  expect(bad[0]?.kind === 'unreadable' && text.startsWith(bad[0].text)).toBe(true);
  expect(rows.at(-1)).toMatchObject({ kind: 'record', row: rows.length });
});

test('records nested to the limit and numbers that survive are read', async () => {
  const text = `[${deep(32)},{"a":-0.10,"b":1e21,"c":123456789012345680000}]`;
  const { rows } = await readText(text, { path: 'f.json' });
  expect(rows.map((row) => row.kind)).toEqual(['record', 'record']);
});

test('a record of a report that could not be read is that record once more, until its members are written', async () => {
  const mark = (given: object) =>
    `{"_onboard":${JSON.stringify({ row: 3, message: 'expected a readable row: broken', ...given })}`;
  const { rows } = await readText(
    `${mark({ text: '{"a":' })}}\n${mark({})}}\n${mark({ text: '{"a":' })},"a":"x"}\n`,
    { path: 'failed.ndjson' },
  );
  expect(rows).toMatchObject([
    { kind: 'unreadable', row: 1, text: '{"a":', problem: expect.stringContaining('alone') },
    { kind: 'record', row: 2 },
    { kind: 'record', row: 3 },
  ]);
});

test('bytes that are not UTF-8 make their record unreadable', async () => {
  const text = Buffer.concat([
    Buffer.from('[{"a":"x"},\n{"a":"M'),
    Buffer.from([0xfc]),
    Buffer.from('"},\n{"a":"\uFFFD"}]'),
  ]);
  const { rows } = await readText(text, { path: 'f.json', format: { encoding: 'utf-8' } });
  expect(rows.map((row) => row.kind)).toEqual(['record', 'unreadable', 'record']);
});

const AT_THE_END = ', but the file ends there';

const BROKEN = [
  ['a member without a value', '[{"a":1},\n {"b":}]', 'line 2, column 7', 'a value, but something else'],
  ['a missing comma between records', '[{"a":1}\n{"b":2}]', 'line 2, column 1', 'a comma or ]'],
  ['a comma too many', '[{"a":1},]', 'line 1, column 10', 'a value'],
  ['a comma too many in a record', '[{"a":1,}]', 'line 1, column 9', 'a member name in double quotes'],
  ['single quotes', "[{'a':1}]", 'line 1, column 3', 'a member name'],
  ['a wrong bracket', '[{"a":[1}]]', 'line 1, column 9', 'a comma or ]'],
  ['a missing quote', '[{"a":"x},\n{"a":"y"}]', 'line 1, column 11', 'a closing quote'],
  ['a word that is no value', '[{"a":1},\nNaN]', 'line 2, column 1', 'a value'],
  ['a list not closed', '[{"a":1},\n{"b":2}\n', 'line 3, column 1', `a comma or ]${AT_THE_END}`],
  ['a list cut off after a comma', '[{"a":1},', 'column 10', `a value${AT_THE_END}`],
  ['a list cut off after its bracket', '[', 'column 2', `a value or ]${AT_THE_END}`],
  ['a record cut off', '[{"a":1},\n{"b":', 'line 2, column 6', `a value${AT_THE_END}`],
  ['a string cut off', '[{"a":"x', 'column 9', `a closing quote${AT_THE_END}`],
  ['text after the list', '[{"a":1}]\nx', 'line 2, column 1', 'nothing more'],
  ['a long record that is broken early', `[{"a":1},\n{"b":x,"c":"${LONG}"}]`, 'line 2, column 6', 'a value'],
  ['printed objects that break off', `${PRETTY}\n{"a":\n`, 'line 6, column 1', `a value${AT_THE_END}`],
];

test.each(BROKEN)('%s is refused with its place', async (_, text, place, expected) => {
  const error = await readError(text, { path: 'f.json' });
  expect(error).toMatch(/^UsageError: f\.json, line /);
  expect(error).toContain(`${place}: broken JSON: expected ${expected}`);
});

test.each([
  [
    'a list with a record too long',
    `[{"a":1},\n{"b":\n"${LONG}"}]`,
    'f.json, line 2: longer than 1048576 characters',
  ],
  [
    'a record too long among others',
    `{\n"a":1}\n{"b":\n"${LONG}"}`,
    'f.json, line 3: longer than 1048576 characters',
  ],
  [
    'a record too long without end',
    `[{"a":1},\n{"c":"${LONG}`,
    'f.json, line 2: longer than 1048576 characters',
  ],
  ['what is neither a list nor an object', 'a,b\n', 'is no JSON that can be read: expected [ or {'],
])('%s is refused', async (_, text, message) => {
  const error = await readError(text, { path: 'f.json' });
  expect(error).toMatch(/^UsageError: f\.json/);
  expect(error).toContain(message);
});

test('a line that is too long is a row, whatever it begins with', async () => {
  for (const start of [' '.repeat(1_100_000), `{"a":"${LONG}`]) {
    const { rows } = await readText(`{"a":1}\n${start}"}\n{"b":2}`, { path: 'f.ndjson', blocks: [70_001] });
    expect(rows.map(brief)).toEqual([
      '1: {"a":1}',
      '2: ! longer than 1048576 characters: expected a shorter record; of its text the first 65536 characters are kept',
      '3: {"b":2}',
    ]);
  }
});

test('when no line of NDJSON is JSON, the file is refused with the first problem', async () => {
  expect(await readError('\nx\ny\n', { path: 'f.ndjson' })).toBe(
    'UsageError: f.ndjson: no line is JSON (line 2: broken JSON in column 1: expected a value): expected one JSON object per line; export it again, or set format.type',
  );
});

const TYPES = [
  { path: 'f.txt', text: '[]', format: {}, type: 'json' },
  { path: 'f', text: '{"a":1}\n', format: {}, type: 'ndjson' },
  { path: 'f.txt', text: 'a,b\n', format: {}, type: 'csv' },
  { path: 'f.CSV', text: '[a],b\n', format: {}, type: 'csv' },
  { path: 'f.tsv', text: '{a}\tb\n', format: {}, type: 'csv' },
  { path: 'f.json', text: '\uFEFF \n[]', format: {}, type: 'json' },
  { path: 'f.jsonl', text: '[{}]', format: {}, type: 'json' },
  { path: 'f.csv', text: '[]', format: { type: 'json' }, type: 'json' },
  { path: 'f.csv', text: '{}', format: { type: 'ndjson' }, type: 'ndjson' },
  { path: 'f.json', text: '[a]\n', format: { type: 'csv' }, type: 'csv' },
] as const;

test.each(TYPES)(
  'a file $path that holds $text with format $format is $type',
  async ({ path, text, format, type }) => {
    const { source } = await readText(text, { path, format });
    expect(source?.type).toBe(type);
  },
);

const soup = fc.string({ unit: fc.constantFrom(...'{}[]"\\,:1a\n ', '"a":', '{"a":1}'), maxLength: 40 });
const blocks = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 5 });
const path = fc.constantFrom('f.json', 'f.ndjson');

test('whatever stands in a file, the block boundaries change nothing', async () => {
  await fc.assert(
    fc.asyncProperty(soup, blocks, path, fc.boolean(), async (body, blocks, path, list) => {
      const text = `${list ? '[' : '{"x":1}\n'}${body}`;
      const whole = await readText(text, { path }).catch(String);
      expect(await readText(text, { path, blocks }).catch(String)).toEqual(whole);
    }),
    { numRuns: 1500 },
  );
});

const record = fc.dictionary(
  fc.string({ unit: fc.constantFrom('a', 'é', '"', '\\', '{', '😀'), minLength: 1, maxLength: 4 }),
  fc
    .jsonValue({ maxDepth: 2, noUnicodeString: false })
    .filter(
      (value) =>
        !/__proto__|constructor|prototype|\d{16}|\d\.\d{15}|e[+-]?\d|\\[bf]|\\u00[01]|[\x7f-\x9f]/.test(
          JSON.stringify(value),
        ),
    ),
  { maxKeys: 4 },
);

test('whatever the records, how they are printed and the block boundaries, their text comes out exactly', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(record, { minLength: 1, maxLength: 6 }),
      blocks,
      fc.constantFrom(0, 2),
      async (records, blocks, indent) => {
        const texts = records.map((value) => JSON.stringify(value, null, indent));
        const { rows } = await readText(`[${texts.join(' ,\n')}]`, { path: 'f.json', blocks });
        expect(rows.map((row) => row.kind !== 'cells' && row.text)).toEqual(texts);
      },
    ),
    { numRuns: 300 },
  );
});

test.each<[what: string, text: string, pointers: readonly string[]]>([
  ['one list', '{"items":[{"a":1}]}', ['/items']],
  ['a list further in', '{"data":{"n":1,"items":[{"a":1},{"b":2}]}}', ['/data/items']],
  ['several lists', '{"a":[{}],"b":{"c":[ {} ]}}', ['/a', '/b/c']],
  ['lists in its objects', '{"items":[{"accounts":[{"x":1}]}]}', ['/items']],
  ['a list of texts', '{"tags":["{","[{"],"n":[1,[{}]]}', []],
  ['signs in a name', '{"a/b":{"c~d":[{}]}}', ['/a~1b/c~0d']],
  ['escapes in a name', String.raw`{"\u0061\"}":[{}]}`, ['/a"}']],
  ['a text that ends early', '{"data":{"items":[{"a":"b', ['/data/items']],
  ['no object', '[{"a":[{}]}]', []],
])('in %s: %s', (_, text, pointers) => {
  expect(listPointers(text)).toEqual(pointers);
});

test.each([
  ['{"rows":[]}', ['/rows']],
  ['{"data":{"items":[ ]},"total":0}', ['/data/items']],
  ['{"items":[[]]}', []],
])('an empty list in %s is found where one is asked for', (text, pointers) => {
  expect([listPointers(text), listPointers(text, ']')]).toEqual([[], pointers]);
});
