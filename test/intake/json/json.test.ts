import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listPointers } from '../../../src/intake/json/json.ts';
import { brief, readError, readText } from '../read-text.ts';

const PRETTY = '{\n  "a": 1,\n  "b": "} ]"\n}';

const FILES = [
  [
    'a list gives the raw text of its objects',
    'f.json',
    '[ {"a": 1 },\n{"b":"x"}]\n',
    ['1: {"a": 1 }', '2: {"b":"x"}'],
  ],
  [
    'a list may be printed over lines',
    'f.json',
    `[\n${PRETTY},\n${PRETTY}\n]`,
    [`2: ${PRETTY}`, `6: ${PRETTY}`],
  ],
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
      '1: ! no object: expected a record in { }',
      '1: {"a":1}',
      '1: ! no object: expected a record in { }',
      '1: ! no object: expected a record in { }',
      '1: ! no object: expected a record in { }',
    ],
  ],
  [
    'NDJSON has a row per line',
    'f.ndjson',
    '{"a":1}\n\n  {"b":2} \r\n{"c":3}',
    ['1: {"a":1}', '3: {"b":2}', '4: {"c":3}'],
  ],
  [
    'a line of NDJSON that is no JSON is an unreadable row',
    'f.jsonl',
    '{"a":1}\n {"b":}\n{"c":3}\n',
    ['1: {"a":1}', '2: ! broken JSON in column 7: expected a value', '3: {"c":3}'],
  ],
  [
    'a line of NDJSON that is cut off is an unreadable row',
    'f.jsonl',
    '{"a":1}\n{"b":"x',
    ['1: {"a":1}', '2: ! broken JSON in column 8: expected a closing quote'],
  ],
  [
    'a line of NDJSON that is no object is an unreadable row',
    'f.ndjson',
    '{"a":1}\n[1]\n',
    ['1: {"a":1}', '2: ! no object: expected a record in { }'],
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

const OBJECTS = [
  {
    name: 'a member given twice',
    text: '{"a":1,"b":{"c":1,"c":2}}',
    problem: 'the member "c" is given twice: expected it once',
  },
  {
    name: 'a member given twice, once escaped',
    text: '{"a":1,"\\u0061":2}',
    problem: 'the member "a" is given twice: expected it once',
  },
  {
    name: 'a number with too many digits',
    text: '{"a":[12345678901234567890]}',
    problem: 'a number with more digits than a JSON number keeps: expected it in quotes, as a string',
  },
  {
    name: 'a prototype as a member',
    text: '{"a":{"__proto__":{}}}',
    problem: 'the member "__proto__" is refused: expected another name',
  },
  {
    name: 'a prototype as an escaped member',
    text: '{"\\u005f_proto__":1}',
    problem: 'the member "__proto__" is refused: expected another name',
  },
  {
    name: 'a prototype in a path',
    text: '{"a.constructor.b":1}',
    problem: 'the member "a.constructor.b" is refused: expected another name',
  },
  {
    name: 'a path spelled by two members',
    text: '{"a.b":1,"a":{"b":2}}',
    problem: 'the field "a.b" is given twice, once by a name with dots: expected it once',
  },
  {
    name: 'nesting too deep',
    text: deep(33),
    problem: 'nested deeper than 32 levels: expected a flatter record',
  },
  {
    name: 'nesting so deep that it could exhaust the stack',
    text: deep(50_000),
    problem: 'nested deeper than 32 levels: expected a flatter record',
  },
  {
    name: 'a record too long',
    text: `{"a":"${'x'.repeat(1_100_000)}"}`,
    problem: 'longer than 1048576 characters: expected a shorter record',
  },
] as const;

const SHAPES = [
  { shape: 'a list', path: 'f.json', wrap: (o: string) => `[{"x":1},\n${o},\n{"y":2}]` },
  { shape: 'NDJSON', path: 'f.ndjson', wrap: (o: string) => `{"x":1}\n${o}\n{"y":2}\n` },
  { shape: 'a sequence', path: 'f.json', wrap: (o: string) => `{"x":1}{"z":1}\n${o}\n{\n"y":2}\n` },
] as const;

const CASES = OBJECTS.flatMap((o) => SHAPES.map((s) => ({ ...o, ...s, title: `${o.name} in ${s.shape}` })));

test.each(CASES)('$title makes that row unreadable and no other', async ({ path, wrap, text, problem }) => {
  const { rows } = await readText(wrap(text), { path, blocks: [70_001] });
  const bad = rows.filter((row) => row.kind === 'unreadable');
  expect(bad.map(brief)).toEqual([`2: ${`! ${problem}`}`]);
  expect(bad[0]?.kind === 'unreadable' && text.startsWith(bad[0].text)).toBe(true);
  expect(rows.at(-1)).toMatchObject({ kind: 'record', row: rows.length });
});

test('records nested to the limit and numbers that survive are read', async () => {
  const text = `[${deep(32)},{"a":-0.10,"b":1e21,"c":123456789012345680000}]`;
  const { rows } = await readText(text, { path: 'f.json' });
  expect(rows.map((row) => row.kind)).toEqual(['record', 'record']);
});

test('bytes that are not UTF-8 make their record unreadable', async () => {
  const text = Buffer.concat([
    Buffer.from('[{"a":"x"},\n{"a":"M'),
    Buffer.from([0xfc]),
    Buffer.from('"},\n{"a":"\uFFFD"}]'),
  ]);
  const { rows } = await readText(text, { path: 'f.json' });
  expect(rows.map((row) => row.kind)).toEqual(['record', 'unreadable', 'record']);
});

const BROKEN = [
  [
    'a member without a value',
    '[{"a":1},\n {"b":}]',
    'f.json, line 2, column 7: broken JSON: expected a value, but something else stands there',
  ],
  [
    'a missing comma between records',
    '[{"a":1}\n{"b":2}]',
    'line 2, column 1: broken JSON: expected a comma or ]',
  ],
  ['a comma too many', '[{"a":1},]', 'line 1, column 10: broken JSON: expected a value'],
  [
    'a comma too many in a record',
    '[{"a":1,}]',
    'line 1, column 9: broken JSON: expected a member name in double quotes',
  ],
  ['single quotes', "[{'a':1}]", 'line 1, column 3: broken JSON: expected a member name'],
  ['a wrong bracket', '[{"a":[1}]]', 'line 1, column 9: broken JSON: expected a comma or ]'],
  ['a missing quote', '[{"a":"x},\n{"a":"y"}]', 'line 1, column 11: broken JSON: expected a closing quote'],
  ['a word that is no value', '[{"a":1},\nNaN]', 'line 2, column 1: broken JSON: expected a value'],
  [
    'a list not closed',
    '[{"a":1},\n{"b":2}\n',
    'line 3, column 1: broken JSON: expected a comma or ], but the file ends there',
  ],
  [
    'a list cut off after a comma',
    '[{"a":1},',
    'column 10: broken JSON: expected a value, but the file ends there',
  ],
  ['a list cut off after its bracket', '[', 'expected a value or ], but the file ends there'],
  [
    'a record cut off',
    '[{"a":1},\n{"b":',
    'line 2, column 6: broken JSON: expected a value, but the file ends there',
  ],
  [
    'a string cut off',
    '[{"a":"x',
    'column 9: broken JSON: expected a closing quote, but the file ends there',
  ],
  [
    'text after the list',
    '[{"a":1}]\nx',
    'line 2, column 1: broken JSON: expected nothing after the closing ]',
  ],
  [
    'an oversized record that is broken early',
    `[{"a":1},\n{"b":x,"c":"${'x'.repeat(1_200_000)}"}]`,
    'line 2, column 6: broken JSON: expected a value',
  ],
  [
    'an oversized record that is cut off',
    `[{"a":1},\n{"c":"${'x'.repeat(1_200_000)}`,
    'expected the end of the record of line 2',
  ],
  [
    'printed objects that break off',
    `${PRETTY}\n{"a":\n`,
    'line 6, column 1: broken JSON: expected a value, but the file ends there',
  ],
  ['neither a list nor an object', 'a,b\n', 'f.json: is no JSON that can be read: expected [ or {'],
  ['an empty file', ' \n', 'f.json: is empty'],
];

test.each(BROKEN)('%s is refused with its place', async (_, text, message) => {
  const error = await readError(text, { path: 'f.json' });
  expect(error).toMatch(/^UsageError: f\.json/);
  expect(error).toContain(message);
});

test('when no line of NDJSON is JSON, the file is refused with the first problem', async () => {
  expect(await readError('\nx\ny\n', { path: 'f.ndjson' })).toBe(
    'UsageError: f.ndjson: no line is JSON (line 2: broken JSON in column 1: expected a value): expected one JSON object per line; export it again, or set format.type if it is something else',
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

const soup = fc.string({
  unit: fc.constantFrom(...'{}[]"\\,:1a\n ', '"a":', '{"a":1}'),
  maxLength: 40,
});
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
      (value) => !/__proto__|constructor|prototype|\d{16}|\d\.\d{15}|e[+-]?\d/.test(JSON.stringify(value)),
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
