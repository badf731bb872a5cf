import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { onboard } from './memory-io.ts';

async function fileOf(rows: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'onboard-preview-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'a.csv');
  await writeFile(path, `id,name\n${'1,x\n'.repeat(rows)}`);
  return path;
}

test.each([
  [11, '10', true],
  [10, '10', false],
  [101, '100', true],
  [100, '100', false],
])('of %d rows, preview --rows %s says whether there are more: %s', async (rows, shown, more) => {
  const { stdout } = await onboard(['preview', await fileOf(rows), '--rows', shown]);
  expect(stdout.includes(`These are the first ${shown} rows; the file has more`)).toBe(more);
});
