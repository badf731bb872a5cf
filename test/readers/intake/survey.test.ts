import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { formatSchema } from '../../../src/config/job-definition.ts';
import { readChunks } from '../../../src/readers/intake/chunks.ts';
import { nameProblems } from '../../../src/readers/intake/column-names.ts';
import { readSample, surveyFile } from '../../../src/readers/intake/survey.ts';
import { ownFolder } from '../../support/folder.ts';

const FORMAT = formatSchema.parse({});
const cuts = (chunkRows: number, chunkEnds: number[] | null = null) => ({ chunkRows, chunkEnds });
let folder = '';

beforeEach(async () => {
  folder = await ownFolder();
});

async function file(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

test('a survey gives the hash, the size, the number of rows and how the file was understood', async () => {
  const content = '\uFEFFid;name\n1;x\n2;;\n3;"y"\n';
  const path = await file('a.csv', content);
  expect(await surveyFile(path, FORMAT)).toEqual({
    path,
    sha256: createHash('sha256').update(content).digest('hex'),
    bytes: Buffer.byteLength(content),
    rows: 3,
    chunkEnds: null,
    sample: [1, 2, 3].map((row) => expect.objectContaining({ row })),
    stamp: expect.stringMatching(/^\d+:\d+:\d+$/),
    source: {
      type: 'csv',
      encoding: 'utf-8',
      bom: true,
      compression: 'none',
      headerLine: 1,
      sheet: null,
      notes: expect.any(Array),
      delimiter: ';',
      quote: '"',
      columns: ['id', 'name'],
    },
  });
});

test('a survey of JSON gives every field path of its readable records, by first appearance, without the report’s member', async () => {
  const path = await file(
    'a.json',
    '[{"b":{"c":1,"d":[]}},{"a":[{"x":1},{"y":["z"]}],"b":{"c":2}},{"q":1,"q":2},{"_onboard":{"row":1},"e":{}}]',
  );
  const facts = await surveyFile(path, FORMAT);
  expect(facts.rows).toBe(4);
  expect(facts.source.columns).toEqual(['b.c', 'b.d', 'a.0.x', 'a.1.y', 'e']);
});

test.each([
  [',id,,name,\n,1,,x,\n,2,,y,\n', []],
  [
    ',id,,name,\n1,1,,x,\n2,2,r,y,\n',
    ['Values in columns without a name (1, 3) are not sent, and stay in the report files.'],
  ],
])('columns without a name are noted where they have values: %j', async (content, notes) => {
  const path = await file('nameless.csv', content);
  expect((await surveyFile(path, FORMAT)).source.notes).toEqual(notes);
  expect((await readSample(path, FORMAT, 10)).source.notes).toEqual(notes);
});

test('a file whose columns have names of over a million characters together is refused', async () => {
  const names = Array.from({ length: 700 }, (_, i) => `n${i}`.padEnd(1_500, 'x'));
  const path = await file('a.ndjson', names.map((name) => `{"${name}":1}`).join('\n'));
  await expect(surveyFile(path, FORMAT)).rejects.toThrow(/with names of 10\d{5} characters/);
  expect(nameProblems(names, String)).toEqual([expect.stringContaining('with names of 1050000 characters')]);
});

test('chunks end where the run has their ends; rows behind the last end are chunks too many', async () => {
  const path = await file('a.csv', `id\n${'x\n'.repeat(12)}`);
  const { source } = await surveyFile(path, FORMAT);
  const sizesOf = async (chunkEnds: number[]) => {
    const sizes: number[] = [];
    for await (const { rows } of readChunks(path, source, FORMAT, cuts(4, chunkEnds)))
      sizes.push(rows.length);
    return sizes;
  };
  expect(await sizesOf([5, 6, 12])).toEqual([5, 1, 6]);
  expect(await sizesOf([3, 7])).toEqual([3, 4, 4, 1]);
});

test('what the survey told of the dialect holds for the chunks', async () => {
  const path = await file('a.txt', '{"a":\n1}\n{"a":2}');
  const { source, rows } = await surveyFile(path, FORMAT);
  const chunks: number[] = [];
  for await (const chunk of readChunks(path, source, FORMAT, cuts(1))) chunks.push(chunk.rows.length);
  expect([source.type, rows, chunks]).toEqual(['ndjson', 2, [1, 1]]);
});

test('a sample gives the first rows and the columns known from them', async () => {
  const path = await file('a.ndjson', '{"a":1}\n{"b":1}\n{"c":1}\n');
  const sample = await readSample(path, FORMAT, 2);
  expect(sample.rows.map((row) => row.row)).toEqual([1, 2]);
  expect(sample.source.columns).toEqual(['a', 'b']);
  expect((await readSample(path, FORMAT, 0)).rows).toEqual([]);
});

test('a missing file, a directory and a FIFO are refused with the reason', async () => {
  const missing = join(folder, 'missing.csv');
  await expect(surveyFile(missing, FORMAT)).rejects.toThrow(`${missing}: there is no such file`);
  await expect(surveyFile(folder, FORMAT)).rejects.toThrow(`${folder}: is a directory`);
  const fifo = join(folder, 'fifo.csv');
  execFileSync('mkfifo', [fifo]);
  await expect(surveyFile(fifo, FORMAT)).rejects.toThrow(`${fifo}: is no regular file`);
  await expect(surveyFile(fifo, FORMAT)).rejects.toMatchObject({ name: 'UsageError' });
});
