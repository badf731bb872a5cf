import { existsSync } from 'node:fs';
import { chmod, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { makeFolder } from '../../src/lib/make-folder.ts';
import { ownFolder } from '../support/folder.ts';

let folder = '';
beforeEach(async () => {
  folder = await ownFolder();
});

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

test('a folder is made with those around it, for their owner alone, and what is there stays as it is', async () => {
  await chmod(folder, 0o755);
  await makeFolder(join(folder, 'a', 'b', 'c'));
  expect([await modeOf(join(folder, 'a')), await modeOf(join(folder, 'a/b/c'))]).toEqual([0o700, 0o700]);
  await makeFolder(folder);
  expect(await modeOf(folder)).toBe(0o755);
});

test('two at once make it once', async () => {
  const path = join(folder, 'a', 'b', 'c');
  await Promise.all(Array.from({ length: 20 }, () => makeFolder(path)));
  expect((await stat(path)).isDirectory()).toBe(true);
});

test('what is no folder is in the way', async () => {
  await writeFile(join(folder, 'file'), '');
  await expect(makeFolder(join(folder, 'file'))).rejects.toThrow('EEXIST');
  await expect(makeFolder(join(folder, 'file', 'a', 'b'))).rejects.toThrow('ENOTDIR');
});

test.runIf(existsSync('/proc/self'))('a folder that takes no other in ends the attempt', async () => {
  await expect(makeFolder('/proc/onboard/a')).rejects.toThrow(
    "ENOENT: no such file or directory, mkdir '/proc/onboard'",
  );
});
