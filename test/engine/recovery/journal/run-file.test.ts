import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openRunFile } from '../../../../src/engine/recovery/journal/run-file.ts';
import { ownFolder } from '../../../support/folder.ts';

/** A file in a folder that isn't there until it is made. */
async function ownFile() {
  const path = join(await ownFolder(), 'worker', 'r1.log');
  const troubles: string[] = [];
  const syncs: (number | null)[] = [];
  const file = openRunFile(path, {
    onTrouble: (event) => troubles.push(event),
    onSync: (ms) => syncs.push(ms),
  });
  onTestFinished(() => file.close());
  const makeFolder = () => mkdir(dirname(path));
  return { file, troubles, syncs, makeFolder, text: () => readFile(path, 'utf8') };
}

test('what is asked for during a write goes with the next, in its order', async () => {
  const { file, syncs, makeFolder, text } = await ownFile();
  await makeFolder();
  const writes = [file.write('a')];
  file.note('b');
  for (const letter of ['c', 'd', 'e']) writes.push(file.write(letter));
  await Promise.all(writes);
  expect([await text(), syncs.length]).toEqual(['abcde', 2]);
});

test('a group that fails is refused, notes and all, and not tried again', async () => {
  const { file, troubles, syncs, makeFolder, text } = await ownFile();
  file.note('a');
  await expect(file.write('b')).rejects.toThrow('could not be written: ENOENT');
  await makeFolder();
  await file.write('c');
  expect(await text()).toBe('c');
  expect(troubles).toEqual(['the journal could not be written']);
  expect(syncs).toEqual([null, expect.any(Number)]);
});

test('a flush resolves after all notes before it, and is refused where they are not written', async () => {
  const { file, makeFolder, text } = await ownFile();
  file.note('a');
  await expect(file.flush()).rejects.toThrow('ENOENT');
  await makeFolder();
  file.note('b');
  await file.flush();
  expect(await text()).toBe('b');
});
