import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFindChanged } from '../../src/inbox/late.ts';
import { renderNote, writtenWords } from '../../src/inbox/note.ts';
import { putAway } from '../../src/inbox/settle.ts';
import { writtenOf } from '../../src/lib/file-stamp.ts';
import { ownFolder } from '../support/folder.ts';

test('a file in done that was written to since is found, also by a process that did not put it there', async () => {
  const home = await ownFolder();
  const done = join(home, 'done');
  await mkdir(done);
  const name = await putDone(home, done);
  const now = () => new Date('2026-11-21T10:30:00Z');
  expect(await createFindChanged(done, now)()).toEqual([]);
  await appendFile(join(done, name), 'more');
  expect(await createFindChanged(done, now)()).toEqual([name]);
  expect(await createFindChanged(done, () => new Date('2026-11-21T12:30:00Z'))()).toEqual([]);
});

async function putDone(home: string, done: string, time = '2026-11-21 10:00:00'): Promise<string> {
  const from = join(home, 'a.csv');
  await writeFile(from, 'text');
  execFileSync('touch', ['-d', time, from]);
  const written = writtenWords(writtenOf(await stat(from, { bigint: true })));
  const text = renderNote({
    subject: 'a.csv',
    headline: 'was taken.',
    facts: [['size', written]],
    lines: [],
  });
  const { note } = await putAway({ from, folder: done, name: 'a.csv', id: '20261121-100000-k3f9', text });
  expect(await readFile(note, 'utf8')).toBe(text);
  return 'a.20261121-100000-k3f9.csv';
}

test('a file that was last written at the very end of a millisecond is as its note says', async () => {
  const home = await ownFolder();
  const done = join(home, 'done');
  await putDone(home, done, '@1763754737.999999990');
  expect(await createFindChanged(done, () => new Date('2026-11-21T10:30:00Z'))()).toEqual([]);
});
