import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLateChanges } from '../../src/inbox/late-changes.ts';
import { renderNote, writtenIn, writtenWords } from '../../src/inbox/note.ts';
import { putAway } from '../../src/inbox/put-away.ts';
import { createRest } from '../../src/inbox/rest.ts';
import { entryOf, ownFolder } from './entries.ts';

test('an entry is at rest once nothing of it has changed for the whole time, by size, times or names', () => {
  let now = 0;
  const rest = createRest(2_000, () => now);
  const left = (over = {}) => rest.left('/in', entryOf('a.csv', over));
  expect(left()).toBe(2_000);
  now = 1_500;
  expect(left()).toBe(500);
  expect(left({ stamp: '1:3:3' })).toBe(2_000);
  now = 3_000;
  expect(left({ stamp: '1:3:3' })).toBe(500);
  expect(left({ stamp: '1:3:3', changedMs: 2_000 })).toBe(2_000);
  now = 5_000;
  expect(left({ stamp: '1:3:3', changedMs: 2_000 })).toBe(0);
});

test('an entry that is seen for the first time has not changed, though the clock goes on meanwhile', () => {
  let now = 0;
  const rest = createRest(2_000, () => {
    now += 1;
    return now;
  });
  rest.left('/in', entryOf('a.csv'));
  expect(rest.waited('/in', entryOf('a.csv')).isChanged).toBe(false);
  rest.left('/in', entryOf('a.csv', { stamp: '1:3:3' }));
  expect(rest.waited('/in', entryOf('a.csv', { stamp: '1:3:3' })).isChanged).toBe(true);
});

test('an entry that was away begins to rest anew', () => {
  let now = 0;
  const rest = createRest(1_000, () => now);
  rest.left('/in', entryOf('a.csv'));
  rest.tidy();
  rest.tidy();
  now = 5_000;
  expect(rest.left('/in', entryOf('a.csv'))).toBe(1_000);
});

test('files of one name in two inboxes rest apart', () => {
  let now = 0;
  const rest = createRest(1_000, () => now);
  rest.left('/in', entryOf('a.csv'));
  now = 1_000;
  expect([rest.left('/in', entryOf('a.csv')), rest.left('/other', entryOf('a.csv'))]).toEqual([0, 1_000]);
});

test('a note records size and time of a file so that they can be read again', () => {
  const text = renderNote({
    subject: 'a.csv',
    headline: 'was taken.',
    facts: [['size', '41 bytes, last written 2026-11-21T19:28:57.609Z']],
    lines: [],
  });
  expect(writtenIn(text)).toEqual({ bytes: 41, ms: Date.parse('2026-11-21T19:28:57.609Z') });
  expect(writtenIn('no such line')).toBeNull();
});

test('a file in done that was written to since is found, also by a process that did not put it there', async () => {
  const home = await ownFolder();
  const done = join(home, 'done');
  await mkdir(done);
  const name = await putDone(home, done);
  const now = () => new Date('2026-11-21T10:30:00Z');
  expect(await createLateChanges(done, now).find()).toEqual([]);
  await appendFile(join(done, name), 'more');
  expect(await createLateChanges(done, now).find()).toEqual([name]);
  expect(await createLateChanges(done, () => new Date('2026-11-21T12:30:00Z')).find()).toEqual([]);
});

async function putDone(home: string, done: string, time = '2026-11-21 10:00:00'): Promise<string> {
  const from = join(home, 'a.csv');
  await writeFile(from, 'text');
  execFileSync('touch', ['-d', time, from]);
  const { size, mtimeNs } = await stat(from, { bigint: true });
  const written = writtenWords({ bytes: Number(size), ms: Number(mtimeNs / 1_000_000n) });
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
  expect(await createLateChanges(done, () => new Date('2026-11-21T10:30:00Z')).find()).toEqual([]);
});

test('what can not be moved leaves no note', async () => {
  const home = await ownFolder();
  const failed = join(home, 'failed');
  const moving = putAway({ from: join(home, 'gone'), folder: failed, name: 'gone', id: 'id', text: 'note' });
  await expect(moving).rejects.toThrow('ENOENT');
  expect(await readdir(failed)).toEqual([]);
});

test('it is known how long an entry has been there, and whether it has changed since', () => {
  const clock = { now: 0 };
  const rest = createRest(2_000, () => clock.now);
  const entry = entryOf('a.csv');
  rest.left('/in', entry);
  expect(rest.waited('/in', entry)).toEqual({ ms: 0, isChanged: false });
  rest.tidy();
  clock.now = 1_500;
  const grown = { ...entry, stamp: '1:3:3' };
  expect(rest.left('/in', grown)).toBe(2_000);
  expect(rest.waited('/in', grown)).toEqual({ ms: 1_500, isChanged: true });
});
