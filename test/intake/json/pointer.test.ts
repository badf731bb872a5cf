import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatSchema } from '../../../src/config/job-definition.ts';
import { extend, newCursor } from '../../../src/intake/json/cursor.ts';
import { newOutside, stepOutside } from '../../../src/intake/json/pointer.ts';
import { readRows } from '../../../src/intake/rows.ts';
import { brief, readError, readText } from '../read-text.ts';

const PATH = { path: 'f.json' };

const READ = [
  {
    name: 'a list in an object',
    text: '{"count": 2,\n "items": [{"a":1},\n{"b":"]}"}],"next":null}\n',
    records: '/items',
    rows: ['2: {"a":1}', '3: {"b":"]}"}'],
  },
  {
    name: 'a list deep down, among others of the same name',
    text: '{"items":[1],"data":{"x":{"items":[{"no":1}]},"items":[{"a":1}]},"meta":{"items":[[]]}}',
    records: '/data/items',
    rows: ['1: {"a":1}'],
  },
  {
    name: 'a list under a name with a slash, a tilde and an escape',
    text: '{"a/b~\\u0063":{"":[{"a":1}]}}',
    records: '/a~1b~0c/',
    rows: ['1: {"a":1}'],
  },
  {
    name: 'a list in a list',
    text: '[{"items":[{"no":1}]},{"items":[{"a":1}]}]',
    records: '/1/items',
    rows: ['1: {"a":1}'],
  },
  { name: 'the list that is the whole file', text: '[{"a":1}]', records: '', rows: ['1: {"a":1}'] },
  { name: 'an empty list', text: '{"items":[ ]}', records: '/items', rows: [] },
  {
    name: 'elements that are no objects',
    text: '{"items":[1,{"a":1},[]]}',
    records: '/items',
    rows: [
      '1: ! no object: expected a record in { }',
      '1: {"a":1}',
      '1: ! no object: expected a record in { }',
    ],
  },
  {
    name: 'members around it that would be refused in a record',
    text: '{"__proto__":1,"x":1,"x":2,"n":12345678901234567890,"items":[{"a":1}]}',
    records: '/items',
    rows: ['1: {"a":1}'],
  },
] as const;

test.each(['failed.ndjson', 'mended.json'])(
  'with format.records, a report’s rows are read from %s',
  async (path) => {
    const line = (a: number) => `{"a":${a},"_onboard":{"row":${a}}}\n`;
    for (const text of [line(1), line(1) + line(2)]) {
      const read = await readText(text, { path, format: { type: 'json', records: '/data/items' } });
      expect(read.rows).toHaveLength(text.split('\n').length - 1);
      expect(read.rows.every(({ kind }) => kind === 'record')).toBe(true);
    }
  },
);

test.each(READ)('with format.records, $name is read', async ({ text, records, rows }) => {
  for (const blocks of [[1 << 20], [1], [2, 5]]) {
    const read = await readText(text, { ...PATH, blocks, format: { records } });
    expect(read.rows.map(brief)).toEqual(rows);
    expect(read.source).toMatchObject({ type: 'json' });
  }
});

const REFUSED = [
  {
    name: 'a name that is not there',
    text: '{"data":{"rows":[],"total":1,"":2}}',
    records: '/data/items',
    message:
      'f.json: has no list of records at /data/items: /data is an object with the members "rows", "total", ""; correct format.records',
  },
  {
    name: 'no member at all',
    text: '{}',
    records: '/items',
    message: 'at /items: the whole file is an object with no members;',
  },
  {
    name: 'more members than are worth naming',
    text: `{${Array.from({ length: 30 }, (_, i) => `"m${i}":1`).join(',')}}`,
    records: '/items',
    message: '"m8", "m9" and more;',
  },
  {
    name: 'a way through a plain value',
    text: '{"data":"x"}',
    records: '/data/items',
    message: 'at /data/items: /data is a plain value;',
  },
  { name: 'a list at the top', text: '[{"a":1}]', records: '/items', message: 'the whole file is a list;' },
  {
    name: 'an object where the list should be',
    text: '{"data":\n{"items":{}}}',
    records: '/data/items',
    message:
      'f.json, line 2: /data/items is an object: expected the list of records there; correct format.records',
  },
  {
    name: 'null where the list should be',
    text: '{"a":null}',
    records: '/a',
    message: '/a is a plain value',
  },
  {
    name: 'the list given twice',
    text: '{"items":[{"a":1}],\n"items":[]}',
    records: '/items',
    message: 'line 2: the member /items is given twice',
  },
  {
    name: 'the way to the list given twice',
    text: '{"data":{},"data":{"items":[{"a":1}]}}',
    records: '/data/items',
    message: 'line 1: the member /data is given twice',
  },
  {
    name: 'a second object behind the first',
    text: '{"items":[]}\n{"items":[]}',
    records: '/items',
    message: 'line 2, column 1: broken JSON: expected nothing more',
  },
  {
    name: 'broken JSON before the list',
    text: '{"a":tru,"items":[]}',
    records: '/items',
    message: 'line 1, column 6: broken JSON: expected a value',
  },
  {
    name: 'broken JSON behind the list',
    text: '{"items":[{"a":1}],\n"b":}',
    records: '/items',
    message: 'line 2, column 5: broken JSON: expected a value',
  },
  {
    name: 'a name without quotes',
    text: '{"items":[],b:1}',
    records: '/items',
    message: 'column 13: broken JSON: expected a member name in double quotes',
  },
  {
    name: 'a missing colon',
    text: '{"items" []}',
    records: '/items',
    message: 'column 10: broken JSON: expected a colon',
  },
  {
    name: 'a missing comma',
    text: '{"items":[] "a":1}',
    records: '/items',
    message: 'expected a comma or }',
  },
  { name: 'a comma too many', text: '{"items":[],}', records: '/items', message: 'expected a member name' },
  {
    name: 'a wrong bracket',
    text: '{"a":[1},"items":[]}',
    records: '/items',
    message: 'expected a comma or ]',
  },
  {
    name: 'a file cut off behind the list',
    text: '{"items":[{"a":1}]',
    records: '/items',
    message: 'expected }, but the file ends there',
  },
  {
    name: 'a file cut off in the list',
    text: '{"items":[{"a":1}',
    records: '/items',
    message: 'but the file ends there',
  },
  {
    name: 'a file cut off in a string',
    text: '{"a":"x',
    records: '/items',
    message: 'expected a closing quote, but the file ends there',
  },
  { name: 'a bad escape', text: '{"a":"\\x","items":[]}', records: '/items', message: 'expected an escape' },
  {
    name: 'nesting too deep around the list',
    text: `${'{"a":'.repeat(50_000)}1`,
    records: '/items',
    message: 'line 1: nested deeper than 32 levels',
  },
];

test.each(REFUSED)('with format.records, $name is refused', async ({ text, records, message }) => {
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
  const outside = newOutside('f.json', '/items');
  const cursor = newCursor();
  const block = '{"no":["items",1,true]},'.repeat(100);
  const held = Array.from({ length: 50 }, (_, i) => {
    extend(cursor, i === 0 ? `{"before":[${block}` : block);
    while (stepOutside(outside, cursor, false) === 'on');
    return cursor.text.length - cursor.at;
  });
  expect(held).toEqual(held.map(() => 0));
  extend(cursor, '0],"items":[');
  while (stepOutside(outside, cursor, false) === 'on');
  expect([cursor.line, cursor.at]).toEqual([1, cursor.text.length]);
});

test('a string around the list that has no end is refused before the file has been read to its end', async () => {
  let blocks = 0;
  async function* endless() {
    for (; ; blocks += 1) yield Buffer.from(blocks === 0 ? '{"a":"' : 'x'.repeat(65_536));
  }
  const reading = { container: 'plain', encoding: 'utf-8', notes: [] } as const;
  const read = async () => {
    for await (const _ of readRows(endless(), 'f.json', reading, formatSchema.parse({ records: '/a' })));
  };
  await expect(read()).rejects.toThrow('expected at most 1048576 characters');
  expect(blocks).toBeLessThan(32);
});

const CHARACTERS = [
  { name: 'half a character', text: '{"a":{"b":"x\\ud83d"}}', problem: 'half a character' },
  { name: 'the other half', text: '{"a":"\\uDE00x"}', problem: 'half a character' },
  { name: 'two halves in the wrong order', text: '{"a":"\\ude00\\ud83d"}', problem: 'half a character' },
  { name: 'half a character in a name', text: '{"\\ud83d":1}', problem: 'half a character' },
  { name: 'NUL', text: '{"a":["\\u0000"]}', problem: 'a NUL character' },
];

test.each(CHARACTERS)('$name makes the record unreadable and no other', async ({ text, problem }) => {
  const { rows } = await readText(`[{"x":"\\ud83d\\ude00"},${text},{"y":"\\\\u0000"}]`, PATH);
  expect(rows.map((row) => row.kind)).toEqual(['record', 'unreadable', 'record']);
  expect(rows.map(brief)[1]).toContain(`! ${problem}`);
});

const NUMBERS = [
  ['-0.1', true],
  ['1e21', true],
  ['123456789012345680000', true],
  ['1.10', true],
  ['0.1e-6', true],
  ['1e-400', false],
  ['1E400', false],
  ['9007199254740993', false],
  ['0.1234567890123456789', false],
  ['1.0000000000000000000001', false],
] as const;

test.each(NUMBERS)('the number %s deep in a record survives: %s', async (number, survives) => {
  const { rows } = await readText(`[{"a":[{"b":{"c":[1,${number}]}}]}]`, PATH);
  expect(rows[0]?.kind).toBe(survives ? 'record' : 'unreadable');
});

test('one object that holds a list of objects is noted, as long as format.records names none', async () => {
  const text = '{"items":[{"a":1}]}';
  expect((await readText(text, PATH)).source?.notes).toEqual([expect.stringContaining('format.records')]);
  expect((await readText(text, { ...PATH, format: { records: '/items' } })).source?.notes).toEqual([]);
  expect((await readText(`${text}\n${text}`, PATH)).source?.notes).toEqual([]);
});

test('a report’s NDJSON file is read as such although its job’s definition has format.records', async () => {
  const text = '{"a":1,"_onboard":{"row":1}}\n{"a":2,"_onboard":{"row":2}}\n';
  for (const type of ['auto', 'json', 'ndjson'] as const) {
    const read = await readText(text, { path: 'failed.ndjson', format: { type, records: '/data/items' } });
    expect([read.source?.type, read.rows.map((row) => row.kind)]).toEqual(['ndjson', ['record', 'record']]);
  }
});
