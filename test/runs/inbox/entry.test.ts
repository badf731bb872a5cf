import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  entryProblem,
  isNeverTaken,
  listEntries,
  nameWhenWhole,
  passedOverBy,
} from '../../../src/runs/inbox/entry.ts';
import { ownFolder } from '../../support/folder.ts';
import { entryOf } from './files.ts';

test.each([
  ...['x.csv.part', 'x.csv.tmp', 'x.csv.filepart', 'x.csv.crdownload', 'X.CSV.PART', 'x.csv~', '.x.csv'],
  ...['.x.csv.Ab12Cd', 'x.20261121-034512-k3f9.csv.note.txt', 'x.csv.done'],
])('%s is never taken', (name) => {
  expect(isNeverTaken(name, ['.done'])).toBe(true);
});

test.each(['x.csv', 'part', 'x.partial', 'tmp.json', 'x.csv.done', 'note.txt'])('%s may be taken', (name) => {
  expect(isNeverTaken(name, [])).toBe(false);
});

const PASSED = '.partial .incomplete .inprogress .uploading .download .in .bak .!sync .lftp-pget-status'
  .split(' ')
  .map((ending) => `x.csv${ending}`);

test.each([...PASSED, '~$x', '.~lock.x#', '.x.csv.Ab12Cd', 'n/THUMBS.DB', 'desktop.ini', 'X.Bak', '*.bak'])(
  '%s is passed over',
  (name) => expect(passedOverBy(name)).toHaveLength(1),
);

test.each(
  'x.csv partial x.in.csv x.bin a~$b x.csv.Ab12Cd .x.Ab12C x.thumbs.db ~$/x x.bak/x x.bak* *'.split(' '),
)('%s is not passed over', (name) => expect(passedOverBy(name)).toEqual([]));

test.each([
  ['x.csv.part', 'x.csv'],
  ['north/x.csv.Partial', 'north/x.csv'],
  ['x.in.part', 'x.in'],
  ['x.csv.bak', 'x.csv.bak'],
  ['x.csv.FilePart', 'x.csv'],
  ['x.csv~', 'x.csv'],
  ['x.csv', 'x.csv'],
])('%s will be %s when it is whole', (name, whole) => {
  expect(nameWhenWhole(name)).toBe(whole);
});

test.each([
  [Buffer.from('a\u0000b.csv'), 'control characters'],
  [Buffer.from('a\nb.csv'), 'control characters'],
  [Buffer.from('a\u001b[2Jb.csv'), 'control characters'],
  [Buffer.from('a\u202evsc.b'), 'control characters'],
  [Buffer.from('a\u2028b.csv'), 'control characters'],
  [Buffer.from([0x61, 0xff, 0x2e]), 'not valid UTF-8'],
  [Buffer.from('a..csv'), '".."'],
])('the name %j is refused', (name, why) => {
  expect(entryProblem(entryOf('a.csv', { name }))).toContain(why);
});

test.each([
  'a.csv',
  'Übersicht März.csv',
  '顧客.xlsx',
  'فایل\u200cها.csv',
  "it's (1) – final!.csv",
  'a b.csv',
])('the name %s is taken as it is', (name) => {
  expect(entryProblem(entryOf(name))).toBeNull();
});

test.each([
  [{ kind: 'link' as const }, 'symbolic link'],
  [{ kind: 'folder' as const }, 'a folder'],
  [{ kind: 'other' as const }, 'no regular file'],
  [{ links: 2 }, 'hard link'],
])('an entry that is %j is refused', (over, why) => {
  expect(entryProblem(entryOf('a.csv', over))).toContain(why);
});

test('folders are looked into to a depth that people use; what lies deeper is told once, and holds no files open', async () => {
  const inbox = await ownFolder();
  const deep = join(inbox, ...Array<string>(600).fill('d'));
  await mkdir(deep, { recursive: true });
  await writeFile(join(deep, 'a.csv'), '');
  await writeFile(join(inbox, 'd', 'd', 'b.csv'), '');
  const { entries, problems } = await listEntries(inbox);
  expect(entries.map(({ path }) => path)).toEqual(['d/d/b.csv']);
  expect(problems).toEqual([expect.stringMatching(/d\/d: more than 32 folders lie in each other: expected/)]);
});
