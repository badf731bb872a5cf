import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { homeOf } from '../../src/model/home.ts';
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
