import { appendFile, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { formatSchema } from '../../src/config/job-definition.ts';
import { surveyFile } from '../../src/intake/survey.ts';
import { FileChangedError, fileRows } from '../../src/runs/row-source.ts';
import { sampleRun } from '../cli/sample-run.ts';
import { subclientsCsv } from '../support/flow.ts';

const FORMAT = formatSchema.parse({});

/** A surveyed file of 250 rows, and how many chunks of it come when `disturb` is called after the first. */
async function chunksWith(disturb: (path: string) => Promise<void>) {
  const folder = await mkdtemp(join(tmpdir(), 'onboard-rows-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'a.csv');
  await writeFile(path, subclientsCsv(250));
  const facts = await surveyFile(path, FORMAT);
  const chunks = await fileRows(facts)(sampleRun({ rows: 250, source: facts.source }), FORMAT);
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
  await expect(read()).rejects.toThrow(FileChangedError);
  expect(count()).toBe(1);
});

test('all chunks of a file come where nobody touches it', async () => {
  const { read, count } = await chunksWith(async () => undefined);
  await read();
  expect(count()).toBe(3);
});
