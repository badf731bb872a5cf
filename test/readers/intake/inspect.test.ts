import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { formatSchema } from '../../../src/config/job-definition.ts';
import { containerOf, gunzip } from '../../../src/readers/intake/container.ts';
import { readSample } from '../../../src/readers/intake/survey.ts';
import { ownFile } from '../../support/folder.ts';
import { makeWorkbook, zipOf } from '../../support/workbook.ts';
import { brief, bytesOf, inBlocks, raw, readError, readText } from './read-text.ts';

const CSV = 'id,name\n1,é\n2,ß\n';

test.each(['a.csv.gz', 'a.CSV.GZ', 'a.csv', 'a'])('gzip is known by its bytes, also as %s', async (path) => {
  const { source, rows } = await readText(gzipSync(CSV), { path, blocks: [5] });
  expect(source).toMatchObject({
    type: 'csv',
    compression: 'gzip',
    encoding: 'utf-8',
    columns: ['id', 'name'],
  });
  expect(rows.map(brief)).toEqual(['2: 1¦é', '3: 2¦ß']);
});

test('the name in front of .gz tells the type', async () => {
  expect((await readText(gzipSync('{"a":1}\n'), { path: 'a.ndjson.gz' })).source?.type).toBe('ndjson');
  expect((await readText(gzipSync('[{"a":1}]'), { path: 'a.json.gz' })).source?.type).toBe('json');
  expect((await readText(gzipSync('{a}\n1\n'), { path: 'a.csv.gz' })).source?.type).toBe('csv');
});

test('several members are one text, cut wherever', async () => {
  const members = [bytesOf('id,name\n1,', 'utf-8'), raw('{C3}'), raw('{A9}\n'), raw(''), raw('2,ß\n')];
  const bytes = Buffer.concat(members.map((member) => gzipSync(member)));
  expect((await readText(bytes, { path: 'a.csv.gz', blocks: [11] })).rows.map(brief)).toEqual([
    '2: 1¦é',
    '3: 2¦ß',
  ]);
});

const WHOLE = gzipSync(CSV.repeat(100));
const BROKEN_GZIP: readonly (readonly [string, Buffer, string])[] = [
  ['cut off', WHOLE.subarray(0, -5), 'it is cut off'],
  ['cut off in its head', WHOLE.subarray(0, 5), 'it is cut off'],
  ['cut off in its second member', Buffer.concat([WHOLE, WHOLE.subarray(0, 30)]), 'it is cut off'],
  ['followed by text', Buffer.concat([WHOLE, Buffer.from('id,name\n')]), 'something else follows it'],
  ['followed by NULs', Buffer.concat([WHOLE, Buffer.alloc(9)]), 'goes on after its end'],
  ['followed by NULs and a member', Buffer.concat([WHOLE, Buffer.alloc(9), WHOLE]), 'goes on after its end'],
  ['damaged', Buffer.concat([WHOLE.subarray(0, -8), Buffer.alloc(8, 1)]), 'a part of it is damaged'],
  ['only its first two bytes', raw('{1F 8B}'), 'it is cut off'],
  ['no gzip but for these bytes', raw('{1F 8B}id,name\n1,2\n'), 'a part of it is damaged'],
];

test.each(BROKEN_GZIP)('a gzip file that is %s is refused', async (_, bytes, message) => {
  for (const blockBytes of [1, 16, 1 << 16]) {
    const told = await readError(bytes, { path: 'a.csv.gz', blocks: [blockBytes] });
    expect(told).toMatch(/^UsageError: a\.csv\.gz: is no whole gzip file: /);
    expect(told).toContain(message);
  }
});

test('a file that expands too far is refused, in all and by its ratio', async () => {
  const bytes = gzipSync(Buffer.alloc(1 << 20, 'x'));
  const read = async (maxBytes: number) => {
    let length = 0;
    for await (const block of gunzip(inBlocks(bytes, 64), 'a.gz', maxBytes)) length += block.length;
    return length;
  };
  expect(await read(1 << 20)).toBe(1 << 20);
  await expect(read((1 << 20) - 1)).rejects.toThrow('a.gz: expands to more than 1048575 bytes');
});

const ZIP = raw('{50 4B 03 04}rest');
const OLE = raw('{D0 CF 11 E0 A1 B1 1A E1}rest');
const REFUSED: readonly (readonly [name: string, bytes: Buffer, message: string])[] = [
  ['a.xls', OLE, 'is an old Excel file (.xls)'],
  ['a.xlsx', OLE, 'a workbook with a password: save it as .xlsx without a password'],
  ['a.csv', raw('%PDF-1.7'), 'is a PDF'],
  ['a.csv', raw('<!DOCTYPE html><html>'), 'is a web page'],
  ['a.csv', raw('<html><body>'), 'is a web page'],
  ['a.csv', raw('<?xml version="1.0"?>'), 'is XML'],
  ['a.csv.bz2', raw('BZh9{31 41 59 26 53 59}'), 'is compressed, but not with gzip'],
  ['a.csv.xz', raw('{FD}7zXZ{00}'), 'is compressed, but not with gzip'],
  ['a.7z', raw("7z{BC AF}'{1C}"), 'is compressed, but not with gzip'],
  ['a.csv', raw('{EF BB BF}\n<?xml version="1.0"?>'), 'is XML'],
  ['a.csv', Buffer.from('\ufeff<?xml version="1.0"?>', 'utf16le'), 'is XML'],
  ['a.xml', raw('<Customers>'), 'is XML'],
  ['a.csv.pgp', raw('\n-----BEGIN PGP MESSAGE-----\n'), 'is encrypted or signed (PGP'],
  ['a.p7m', raw('0{80}{06 09}*{86}H'), 'is encrypted or signed (PGP'],
  ['a.csv', raw('Content-Type: text/csv\n\nid,name\n'), 'is a mail or a part of one'],
  ['a.csv', raw('id^name\n1^x\n'), 'set format.delimiter to "^", or to ","'],
  ['a.csv', raw('"id,name"\n"1,x"\n'), 'line 1: the whole line is one cell, since quotes stand around it'],
  ['a.xlsx', raw('id,name\n'), 'is no Excel workbook'],
  ['a.csv.gz', raw('id,name\n'), 'is not compressed, as its name says'],
  ['a.csv.gz', gzipSync(gzipSync(CSV)), 'is compressed twice'],
  ['a.csv.gz', gzipSync(ZIP), 'is a zip archive or'],
  ['a.csv.gz', gzipSync(''), 'is empty'],
];

test.each(REFUSED)('%s is refused in words that tell what to do (%#)', async (path, bytes, message) => {
  expect(await readError(bytes, { path })).toMatch(/^UsageError: a\./);
  expect(await readError(bytes, { path })).toContain(message);
});

const FORMAT = formatSchema.parse({});
const TABLE = { 'Customers.CSV': 'id,name\n1,x\n' };

test.each([
  [TABLE, '2: 1¦x'],
  [{ ...TABLE, '__MACOSX/._a.csv': 'x', 'a/.DS_Store': 'x' }, '2: 1¦x'],
  [{ 'a/b.json': '[{"id":"1"}]' }, '1: {"id":"1"}'],
])('the only table of a zip archive is read, whatever its name: %j', async (files, row) => {
  const { rows } = await readSample(await ownFile(zipOf(files), 'a.csv'), FORMAT, 9);
  expect(rows.map(brief)).toEqual([row]);
});

test.each([
  [zipOf({ ...TABLE, 'b.csv': 'id\n' }), 'expected one table in a whole archive'],
  [makeWorkbook({ data: '' }), 'name a workbook .xlsx'],
  [zipOf({ 'a.xlsx': makeWorkbook({ data: '' }) }), 'within another archive'],
  [zipOf({ 'a.csv': '-----BEGIN PGP MESSAGE-----' }), 'is encrypted or signed'],
  [zipOf(TABLE, 0).map((byte) => (byte === 0x78 ? 0x79 : byte)), 'expected one table in a whole archive'],
])('any other archive is refused (%#)', async (content, problem) => {
  await expect(readSample(await ownFile(content, 'a.zip'), FORMAT, 9)).rejects.toThrow(problem);
});

test('standard input is refused with what to do', async () => {
  await expect(readSample('-', FORMAT, 9)).rejects.toThrow('-: standard input is not read: expected a file');
});

test('a text that begins like a compressed file is text', async () => {
  expect((await readText('BZh9,b\n1,2\n')).rows.map(brief)).toEqual(['2: 1¦2']);
  expect((await readText('From,b\n1,2\n', { path: 'a' })).rows.map(brief)).toEqual(['2: 1¦2']);
});

test.each([
  ['mail\na@b.example\n', {}, ['2: a@b.example']],
  ['a^\nb^\n', { delimiter: ',' }, ['2: b^']],
  ['a;b\n"1;2"\n', {}, [expect.stringContaining('1 cell where the header has 2, since quotes stand')]],
])('one column is read, and a whole line in quotes told: %j', async (text, format, rows) => {
  expect((await readText(text, { format })).rows.map(brief)).toEqual(rows);
});

test.each([
  ['a.xlsx', 'auto'],
  ['a.XLSM', 'auto'],
  ['portfolio', 'xlsx'],
] as const)('a zip archive named %s with format.type %s is a workbook', (path, type) => {
  expect(containerOf(ZIP, path, formatSchema.parse({ type }))).toBe('workbook');
});
