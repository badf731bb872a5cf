import { appendFile, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fileStamp, stampOf, writtenOfStamp } from '../../src/lib/file-stamp.ts';
import { ownFolder } from '../support/folder.ts';

const EARLIER = new Date('2026-11-21T10:00:00Z');

async function setUp() {
  const folder = await ownFolder();
  const path = join(folder, 'a.csv');
  await writeFile(path, 'text');
  await utimes(path, EARLIER, EARLIER);
  return { path, other: join(folder, 'other.csv') };
}

test.each<[string, (path: string, other: string) => Promise<void>]>([
  ['is longer', (path) => appendFile(path, 'x').then(() => utimes(path, EARLIER, EARLIER))],
  ['was written to in its length', (path) => writeFile(path, 'TEXT')],
  [
    'is another one of the same content and time',
    async (path, other) => {
      await writeFile(other, 'text');
      await utimes(other, EARLIER, EARLIER);
      await rename(other, path);
    },
  ],
])('a file that %s has another stamp', async (_, change) => {
  const { path, other } = await setUp();
  const before = await fileStamp(path);
  expect(await fileStamp(path)).toBe(before);
  await change(path, other);
  expect(await fileStamp(path)).not.toBe(before);
});

test('a stamp says how large the file was and when it was written last', async () => {
  const { path } = await setUp();
  const stats = await stat(path, { bigint: true });
  expect(writtenOfStamp(stampOf(stats))).toEqual({ bytes: 4, ms: EARLIER.getTime() });
  expect(writtenOfStamp('1:4:1763754737999999990')?.ms).toBe(1_763_754_737_999);
  expect(writtenOfStamp('')).toBeNull();
});
