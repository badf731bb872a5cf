import { appendFile, open, rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { formatSchema, jobDefinitionSchema } from '../../src/config/job-definition.ts';
import { surveyFile } from '../../src/readers/intake/survey.ts';
import { fileRows, surveyFor } from '../../src/runs/rows.ts';
import { sampleRun } from '../faces/cli/sample-run.ts';
import { subclientsCsv } from '../support/flow.ts';
import { ownFile } from '../support/folder.ts';

const FORMAT = formatSchema.parse({});
const DEFINITION = jobDefinitionSchema.parse({
  operation: 'subclient.create',
  key: 'externalId',
});

/** A surveyed file of 250 rows, and how many chunks of it come when `disturb` is called after the first. */
async function chunksWith(disturb: (path: string) => Promise<void>) {
  const path = await ownFile(subclientsCsv(250));
  const facts = await surveyFile(path, FORMAT);
  const chunks = await fileRows(facts)(sampleRun({ rows: 250, source: facts.source }), DEFINITION);
  if (chunks === null) throw new Error('the file has changed');
  let count = 0;
  const read = async () => {
    for await (const _ of chunks) {
      count += 1;
      if (count === 1) await disturb(path);
    }
  };
  return { read, count: () => count };
}

test.each([
  ['something is appended', (path: string) => appendFile(path, 'K251,Late Ltd\n')],
  ['it is removed', (path: string) => rm(path)],
  [
    'a cell is written over in place, with as many bytes and rows as before',
    async (path: string) => {
      const handle = await open(path, 'r+');
      await handle.write('X', 4_000);
      await handle.close();
    },
  ],
])('no chunk of a file comes after %s', async (_, disturb) => {
  const { read, count } = await chunksWith(disturb);
  await read();
  expect(count()).toBe(1);
});

test('a file that is gone before it is read gives nothing', async () => {
  const path = await ownFile(subclientsCsv(250));
  const facts = await surveyFile(path, FORMAT);
  await rm(path);
  expect(await fileRows(facts)(sampleRun({ rows: 250, source: facts.source }), DEFINITION)).toBeNull();
});

test('all chunks of a file come where nobody touches it', async () => {
  const { read, count } = await chunksWith(async () => undefined);
  await read();
  expect(count()).toBe(3);
});

/** 90 rows, a group of 60, 30 rows, and one that can't be read. */
const KEYS = [
  ...Array.from({ length: 90 }, (_, i) => `K${i}`),
  ...Array<string>(60).fill('G'),
  ...Array.from({ length: 30 }, (_, i) => `L${i}`),
];
const FILE = `externalId,accounts.0.iban\n${KEYS.map((key) => `${key},x\n`).join('')}too,many,cells\n`;

async function factsOf(group: string | undefined, content = FILE, name = 'file.csv') {
  const definition = jobDefinitionSchema.parse({ operation: 'counterparty.draft', key: 'externalId', group });
  return surveyFor({ definition }, await ownFile(content, name));
}

test('a file of a job that groups rows is surveyed with the ends of its chunks, the first one small', async () => {
  expect(await factsOf('accounts')).toMatchObject({ rows: 181, chunkEnds: [5, 150, 181], apart: [] });
});

test('a file of another job has none', async () => {
  expect(await factsOf(undefined)).toMatchObject({ rows: 181, chunkEnds: null });
});

test('rows of one key that stand apart are found in the same survey, in JSON too', async () => {
  const json = ['A', 'A', 'B', 'A']
    .map((key) => `{"externalId":"${key}","accounts":[{"iban":"x"}]}\n`)
    .join('');
  const csv = 'externalId,accounts.0.iban\nA,x\nA,y\nB,x\nA,z\n';
  const apart = [
    [4, 1],
    [1, 4],
  ];
  expect(await factsOf('accounts', csv)).toMatchObject({ chunkEnds: [4], apart });
  expect(await factsOf('accounts', json, 'file.ndjson')).toMatchObject({ chunkEnds: [4], apart });
});

test('a file in which they stand apart in very many places is refused', async () => {
  const keys = Array.from({ length: 10_002 }, (_, i) => `K${i % 5_001}`);
  const csv = `externalId,accounts.0.iban\n${keys.map((key) => `${key},x\n`).join('')}`;
  await expect(factsOf('accounts', csv)).rejects.toThrow(/more than 10000 places, such as rows \d+ and \d+/);
});
