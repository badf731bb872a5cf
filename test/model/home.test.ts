import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { homeOf, isForeignHome } from '../../src/model/home.ts';
import { ownFolder } from '../support/folder.ts';

test('the home is that of the folder or of the nearest one above, else a new one in the folder', async () => {
  const folder = await ownFolder();
  const deep = join(folder, 'a', 'b');
  await mkdir(deep, { recursive: true });
  expect(homeOf(deep)).toBe(join(deep, '.onboard'));
  await mkdir(join(folder, '.onboard'));
  expect(homeOf(deep)).toBe(join(folder, '.onboard'));
  // A file of that name is no home.
  await writeFile(join(deep, '.onboard'), '');
  expect(homeOf(deep)).toBe(join(folder, '.onboard'));
  await mkdir(join(folder, 'a', '.onboard'));
  expect(homeOf(deep)).toBe(join(folder, 'a', '.onboard'));
});

test('a home above that is another user’s is foreign, one in the folder itself is not, nor is any to root', async () => {
  const folder = await ownFolder();
  const home = join(folder, '.onboard');
  await mkdir(home);
  const { uid } = await stat(home);
  const below = join(folder, 'a');
  const other = uid + 1;
  expect([uid, other, 0].map((user) => isForeignHome(home, below, user))).toEqual([false, true, false]);
  expect(isForeignHome(home, folder, other)).toBe(false);
  expect(isForeignHome(join(folder, 'gone', '.onboard'), below, other)).toBe(false);
});
