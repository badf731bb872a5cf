import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatSchema } from '../../../../src/config/job-definition.ts';
import { newTrail, takeOutside } from '../../../../src/readers/intake/json/pointer.ts';
import { extend, nextToken, scannerOf } from '../../../../src/readers/intake/json/scanner.ts';
import { openRows } from '../../../../src/readers/intake/rows.ts';
import { brief, readError, readText } from '../read-text.ts';

const PATH = { path: 'f.json' };

const READ = [
  [
    'a list in an object',
    '{"count": 2,\n "items": [{"a":1},\n{"b":"]}"}],"next":null}\n',
    '/items',
    ['2: {"a":1}', '3: {"b":"]}"}'],
  ],
  [
    'a list deep down, among others of the same name',
    '{"items":[1],"data":{"x":{"items":[{"no":1}]},"items":[{"a":1}]},"meta":{"items":[[]]}}',
    '/data/items',
    ['1: {"a":1}'],
  ],
  [
    'a list under a name with a slash, a tilde and an escape',
    '{"a/b~\\u0063":{"":[{"a":1}]}}',
    '/a~1b~0c/',
    ['1: {"a":1}'],
  ],
  ['a list in a list', '[{"items":[{"no":1}]},{"items":[{"a":1}]}]', '/1/items', ['1: {"a":1}']],
  ['the list that is the whole file', '[{"a":1}]', '', ['1: {"a":1}']],
  ['an empty list', '{"items":[ ]}', '/items', []],
  [
    'elements that are no objects',
    '{"items":[1,{"a":1},[]]}',
    '/items',
    [
      '1: ! a number and no record: expected an object in { }',
      '1: {"a":1}',
      '1: ! a list and no record: expected an object in { }',
    ],
  ],
  [
    'members around it that would be refused in a record',
    '{"__proto__":1,"x":1,"x":2,"n":12345678901234567890,"items":[{"a":1}]}',
    '/items',
    ['1: {"a":1}'],
  ],
] as const;

test.each([
  ['failed.ndjson', 'auto'],
  ['failed.ndjson', 'ndjson'],
  ['failed.ndjson', 'json'],
  ['corrected.json', 'json'],
] as const)('with format.records, a report’s rows are read from %s as %s', async (path, type) => {
  const line = (a: number) => `{"a":${a},"_onboard":{"row":${a}}}\n`;
  for (const text of [line(1), line(1) + line(2)]) {
    const { source, rows } = await readText(text, { path, format: { type, records: '/data/items' } });
    expect(source?.type).toBe('ndjson');
    expect(rows).toHaveLength(text.split('\n').length - 1);
    expect(rows.every(({ kind }) => kind === 'record')).toBe(true);
  }
});

test.each(READ)('with format.records, %s is read', async (_, text, records, rows) => {
  for (const blocks of [[1 << 20], [1], [2, 5]]) {
    const read = await readText(text, { ...PATH, blocks, format: { records } });
    expect(read.rows.map(brief)).toEqual(rows);
    expect(read.source).toMatchObject({ type: 'json' });
  }
});

const REFUSED = [
  [
    'a name that is not there',
    '{"data":{"rows":[],"total":1,"":2}}',
    '/data/items',
    'f.json: has no list of records at /data/items: /data is an object without "items"; set format.records: /data/rows',
  ],
  [
    'a name that is not there, beside lists that are',
    '{"a":"x","b":[{}],"c":{"d":[{}]},"items":{}}',
    '/items',
    'line 1: /items is an object: expected the list of records there; set format.records: /b or /c/d',
  ],
  ['no member at all', '{}', '/items', 'at /items: the whole file is an object without "items";'],
  ['a way through a plain value', '{"data":"x"}', '/data/items', '/data is a plain value without "items";'],
  ['a list at the top', '[{"a":1}]', '/items', 'the whole file is a list without "items";'],
  [
    'an object where the list should be',
    '{"data":\n{"items":{}}}',
    '/data/items',
    'f.json, line 2: /data/items is an object: expected the list of records there; correct format.records',
  ],
  ['null where the list should be', '{"a":null}', '/a', '/a is a plain value'],
  ['the list twice', '{"items":[{}],\n"items":[]}', '/items', 'line 2: the member /items is given twice'],
  [
    'the way to the list given twice',
    '{"data":{},"data":{"items":[{"a":1}]}}',
    '/data/items',
    'line 1: the member /data is given twice',
  ],
  [
    'a second object behind the first',
    '{"items":[]}\n{"items":[]}',
    '/items',
    'line 2, column 1: broken JSON: expected nothing more',
  ],
  ['broken JSON before', '{"a":tru,"items":[]}', '/items', 'line 1, column 6: broken JSON: expected a value'],
  [
    'broken JSON behind the list',
    '{"items":[{"a":1}],\n"b":}',
    '/items',
    'line 2, column 5: broken JSON: expected a value',
  ],
  ['a missing colon', '{"items" []}', '/items', 'column 10: broken JSON: expected a colon'],
  ['a file cut off in the list', '{"items":[{"a":1}', '/items', 'but the file ends there'],
  ['a bad escape', '{"a":"\\x","items":[]}', '/items', 'expected an escape'],
  [
    'nesting too deep around it',
    `${'{"a":'.repeat(50_000)}1`,
    '/items',
    'line 1: nested deeper than 32 levels',
  ],
];

test.each(REFUSED)('with format.records, %s is refused', async (_, text, records, message) => {
  const error = await readError(text, { ...PATH, format: { records } });
  expect(error).toMatch(/^UsageError: f\.json/);
  expect(error).toContain(message);
});

test('whatever stands around the list, the block boundaries change nothing, and JSON.parse agrees', async () => {
  const value = fc.jsonValue({ maxDepth: 2 });
  const blocks = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 });
  const damage = fc.tuple(fc.nat(60), fc.constantFrom('', '', '"', '}', ',', ':', 'x'), fc.nat(1));
  await fc.assert(
    fc.asyncProperty(
      value,
      value,
      fc.array(value),
      blocks,
      damage,
      async (before, after, items, blocks, cut) => {
        const whole = JSON.stringify({ before, data: { items }, after });
        const [at, put, drop] = cut;
        const text = put === '' ? whole : whole.slice(0, at) + put + whole.slice(at + drop);
        const format = { records: '/data/items' };
        const read = await readText(text, { ...PATH, format }).catch(String);
        expect(await readText(text, { ...PATH, format, blocks }).catch(String)).toEqual(read);
        if (typeof read !== 'string') expect(read.rows.length).toBe(JSON.parse(text).data.items.length);
      },
    ),
    { numRuns: 100 },
  );
});

test('what stands before the list is let go of as soon as it is read', () => {
  const trail = newTrail('f.json', '/items', []);
  const scanner = scannerOf('', false);
  let isFound = false;
  const held = (piece: string) => {
    extend(scanner, piece, false);
    for (let token = nextToken(scanner); token !== 'wait'; token = nextToken(scanner))
      isFound = takeOutside(trail, token, scanner);
    return scanner.text.length - scanner.at;
  };
  const block = '{"no":["items",1,true]},'.repeat(100);
  const sizes = Array.from({ length: 50 }, (_, i) => held(i === 0 ? `{"before":[${block}` : block));
  expect(sizes).toEqual(sizes.map(() => 0));
  expect([held('0],"items":['), isFound, scanner.line]).toEqual([0, true, 1]);
});

test('a string around the list that has no end is refused before the file has been read to its end', async () => {
  let blocks = 0;
  async function* endless() {
    for (; ; blocks += 1) yield Buffer.from(blocks === 0 ? '{"a":"' : 'x'.repeat(65_536));
  }
  const read = async () => {
    for await (const _ of openRows('f.json', formatSchema.parse({ records: '/a' }), endless()));
  };
  await expect(read()).rejects.toThrow('f.json, line 1: longer than 1048576 characters');
  expect(blocks).toBeLessThan(32);
});

const CHARACTERS = [
  ['half a character', '{"a":{"b":"x\\ud83d"}}', 'half a character'],
  ['the other half', '{"a":"\\uDE00x"}', 'half a character'],
  ['two halves in the wrong order', '{"a":"\\ude00\\ud83d"}', 'half a character'],
  ['half a character in a name', '{"\\ud83d":1}', 'half a character'],
  ['NUL', '{"a":["\\u0000"]}', 'the control character U+0000'],
];

test.each(CHARACTERS)('%s makes the record unreadable and no other', async (_, text, problem) => {
  const { rows } = await readText(`[{"x":"\\ud83d\\ude00"},${text},{"y":"\\\\u0000"}]`, PATH);
  expect(rows.map((row) => row.kind)).toEqual(['record', 'unreadable', 'record']);
  expect(rows.map(brief)[1]).toContain(`! ${problem}`);
});

test.each([
  ['on one line', 0],
  ['over several lines', 2],
])(
  'one object %s that is too long for a record is refused with the lists that may be the records',
  async (_, indent) => {
    const items = Array.from({ length: 60_000 }, (_, i) => ({ ref: `K${i}`, name: 'Acme' }));
    const text = JSON.stringify({ total: 1, data: { items } }, null, indent);
    expect(await readError(text, { ...PATH, blocks: [65_536] })).toMatch(
      /; set format\.records: \/data\/items$/,
    );
  },
);

test('one object that holds a list of objects is noted, as long as format.records names none', async () => {
  const text = '{"items":[{"a":1}]}';
  expect((await readText(text, PATH)).source?.notes).toEqual([expect.stringContaining('format.records')]);
  expect((await readText(text, { ...PATH, format: { records: '/items' } })).source?.notes).toEqual([]);
  expect((await readText(`${text}\n${text}`, PATH)).source?.notes).toEqual([]);
  expect((await readText(text, { ...PATH, format: { type: 'ndjson' } })).source?.notes).toEqual([]);
});
