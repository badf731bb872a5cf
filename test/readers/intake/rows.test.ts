import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, expect, test } from 'vitest';
import { type Format, formatSchema } from '../../../src/config/job-definition.ts';
import type { Row } from '../../../src/model/row.ts';
import { readChunks } from '../../../src/readers/intake/chunks.ts';
import { NO_TEXT } from '../../../src/readers/intake/row.ts';
import { readSample, surveyFile } from '../../../src/readers/intake/survey.ts';
import { ownFolder } from '../../support/folder.ts';
import { bytesOf, raw, readText } from './read-text.ts';

let folder = '';

beforeEach(async () => {
  folder = await ownFolder();
});

test('preview, survey and every later reading agree, also where only the last line has other letters', async () => {
  const path = join(folder, 'a.csv.gz');
  await writeFile(path, gzipSync(bytesOf(`id,name\n${'1,x\n'.repeat(90_000)}2,5 €\n`, 'iso-8859-15')));
  await expect(readSample(path, formatSchema.parse({}), 1)).rejects.toThrow(/line 90002 is not utf-8/);
  const FORMAT = formatSchema.parse({ encoding: 'iso-8859-15' });
  const facts = await surveyFile(path, FORMAT);
  const sample = await readSample(path, FORMAT, 1);
  expect(sample.source).toEqual(facts.source);
  expect(facts).toMatchObject({ rows: 90_001, source: { encoding: 'iso-8859-15', compression: 'gzip' } });
  let last: Row | undefined;
  for await (const { rows } of readChunks(path, facts.source, FORMAT, { chunkRows: 500, chunkEnds: null }))
    last = rows.at(-1);
  expect(last).toEqual({ kind: 'cells', row: 90_001, line: 90_002, cells: ['2', '5 €'] });
});

test('a later reading keeps to what the survey found, and refuses another kind of file', async () => {
  const path = join(folder, 'a.csv');
  const cuts = { chunkRows: 10, chunkEnds: null };
  await writeFile(path, raw('id\nJ{F6}rg\n'));
  const FORMAT = formatSchema.parse({ encoding: 'windows-1252' });
  const { source } = await surveyFile(path, FORMAT);
  const read = async () => {
    const rows: Row[] = [];
    for await (const chunk of readChunks(path, source, FORMAT, cuts)) rows.push(...chunk.rows);
    return rows;
  };
  expect(await read()).toMatchObject([{ cells: ['Jörg'] }]);
  expect(source.encoding).toBe('windows-1252');
  await writeFile(path, gzipSync('id\nJörg\n'));
  await expect(read()).rejects.toMatchObject({ name: 'UsageError' });
  await writeFile(path, bytesOf('id\nJörg\n', 'utf-16le', { bom: true }));
  await expect(read()).rejects.toMatchObject({ name: 'UsageError' });
});

test('a header with bytes that its file’s encoding has no characters for names the column', async () => {
  const text = Buffer.from('id,na\x81me\n1,x\n', 'latin1');
  const errorFor = (encoding: 'windows-1252' | 'utf-8') =>
    readText(text, { format: { encoding } }).catch(String);
  expect(await errorFor('windows-1252')).toContain(`column 2 of the header holds ${NO_TEXT}`);
  expect(await errorFor('utf-8')).toContain(`column 2 of the header holds ${NO_TEXT}`);
});

/** The cells of the rows of a file of that text. */
async function cellsOf(text: string, format: Partial<Format> = { header: 3 }) {
  const { rows } = await readText(text, { path: 'failed.csv', format });
  return rows.map((row) => (row.kind === 'cells' ? row.cells : []));
}

test('a report has no title lines, whatever its job says of the first file; another file has them', async () => {
  expect(await cellsOf('id,onboard_row\n#1,1\n2,2\n3,3\n')).toEqual([
    ['#1', '1'],
    ['2', '2'],
    ['3', '3'],
  ]);
  expect(await cellsOf('A title\n\nid,name\n2,2\n')).toEqual([['2', '2']]);
});

test.each([
  ['whose job reads workbooks', { type: 'xlsx' }],
  ['whose job names another delimiter than it was written with', { delimiter: ';' }],
] as const)('a report %s is read as it was written', async (_, format) => {
  expect(await cellsOf('id,onboard_run,onboard_row\n1,r,1\n', format)).toEqual([['1', 'r', '1']]);
});

test.each([
  [
    'written anew with quotes around every name',
    '"id";"onboard_run";"onboard_row"\n"1";"r";"1"\n',
    ['1', 'r', '1'],
  ],
  ['cut at a sign that is not looked for', 'id^onboard_run^onboard_row\n1,5;6^r^1\n', ['1,5;6', 'r', '1']],
  [
    'whose cells another sign cuts as well',
    'a,b;onboard_run,c;onboard_run;onboard_row\n1,2;r,s;r;1\n',
    ['1,2', 'r,s', 'r', '1'],
  ],
])('a report %s is cut where its own columns are', async (_, text, cells) => {
  expect(await cellsOf(text, {})).toEqual([cells]);
});

test('a CSV file that is no report is refused where the job reads workbooks', async () => {
  await expect(cellsOf('a,b\n1,2\n', { type: 'xlsx' })).rejects.toThrow(/is no Excel workbook/);
});
