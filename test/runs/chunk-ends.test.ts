import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { jobDefinitionSchema } from '../../src/config/job-definition.ts';
import { surveyFile } from '../../src/intake/survey.ts';
import { withChunkEnds } from '../../src/runs/chunk-ends.ts';

/** 90 rows, a group of 60, 30 rows, and one that can't be read. */
const KEYS = [
  ...Array.from({ length: 90 }, (_, i) => `K${i}`),
  ...Array<string>(60).fill('G'),
  ...Array.from({ length: 30 }, (_, i) => `L${i}`),
];
const FILE = `externalId,accounts.0.iban\n${KEYS.map((key) => `${key},x\n`).join('')}too,many,cells\n`;

async function bench(group: string | undefined) {
  const folder = await mkdtemp(join(tmpdir(), 'onboard-ends-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'a.csv');
  await writeFile(path, FILE);
  const definition = jobDefinitionSchema.parse({ operation: 'counterparty.draft', key: 'externalId', group });
  return { path, definition, facts: await surveyFile(path, definition.format) };
}

test('a file of a job that groups rows is registered with the ends of its chunks', async () => {
  const { facts, definition } = await bench('accounts');
  expect((await withChunkEnds(facts, definition)).chunkEnds).toEqual([150, 181]);
});

test('a file of another job has none', async () => {
  const { facts, definition } = await bench(undefined);
  expect(await withChunkEnds(facts, definition)).toBe(facts);
});

test('a file that has changed since it was surveyed is refused', async () => {
  const { path, facts, definition } = await bench('accounts');
  await writeFile(path, `${FILE}M1,x\n`);
  await expect(withChunkEnds(facts, definition)).rejects.toThrow('was changed while it was read');
});
