import { readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { createUploads } from '../../../src/faces/page/uploads.ts';
import { deferred } from '../../support/deferred.ts';
import { ownFolder } from '../../support/folder.ts';

let home = '';
beforeEach(async () => {
  home = await ownFolder();
});

const now = () => new Date('2026-11-23T10:00:00Z');

async function* pieces(...texts: readonly string[]) {
  for (const text of texts) yield Buffer.from(text);
}

test('a file that comes in whole is there, under a name that is one everywhere', async () => {
  const uploads = createUploads(home, now);
  const upload = await uploads.receive('../../März “2026”.csv', 'ops-1', pieces('a,b\n', '1,2\n'));
  expect(upload).toMatchObject({
    given: '../../März “2026”.csv',
    name: 'Ma-rz-2026-.csv',
    by: 'ops-1',
    bytes: 8,
    at: '2026-11-23T10:00:00.000Z',
  });
  expect(await readFile(upload.path, 'utf8')).toBe('a,b\n1,2\n');
  expect(upload.path, 'no name of it').toBe(join(home, 'uploads', upload.id, 'file.csv'));
  expect(await uploads.find(upload.id)).toEqual(upload);
  expect(await uploads.list()).toContainEqual(upload);
  await uploads.discard(upload.id);
  expect(await uploads.find(upload.id)).toBeNull();
});

test('an upload whose file was handed in is there no more, also where a kill left its note', async () => {
  const uploads = createUploads(home, now);
  const upload = await uploads.receive('a.csv', 'ops-1', pieces('a\n'));
  await rm(upload.path);
  expect(await uploads.find(upload.id)).toBeNull();
  expect((await uploads.list()).map(({ id }) => id)).not.toContain(upload.id);
});

test.each([
  ['..', 'file'],
  ['/', 'file'],
  ['.hidden', 'hidden'],
  ['upload.json', 'file'],
  ['a.mueller', 'a.mueller'],
  ['con\u0000trol\n.csv', 'con-trol-.csv'],
  [`${'x'.repeat(300)}.csv`, `${'x'.repeat(96)}.csv`],
])('%j becomes %s', async (given, name) => {
  const uploads = createUploads(home, now);
  const upload = await uploads.receive(given, 'ops-1', pieces('x'));
  expect(upload.name).toBe(name);
  expect(basename(upload.path)).toBe(name.endsWith('.csv') ? 'file.csv' : 'file');
});

test.each(['', '..', '../uploads', 'a'.repeat(32).toUpperCase(), `${'a'.repeat(31)}/`])(
  'no upload has the id %j',
  async (id) => expect(await createUploads(home, now).find(id)).toBeNull(),
);

test('what is cut off, too large or empty leaves nothing behind, and says so', async () => {
  const uploads = createUploads(home, now, { most: 10 });
  async function* cutOff() {
    yield Buffer.from('12345');
    throw new Error('the connection was lost');
  }
  await expect(uploads.receive('a.csv', 'ops-1', cutOff())).rejects.toThrow('the connection was lost');
  await expect(uploads.receive('a.csv', 'ops-1', pieces('123456', '78901'))).rejects.toThrow(
    'a.csv has more than 10 bytes: expected a smaller file',
  );
  await expect(uploads.receive('a.csv', 'ops-1', pieces())).rejects.toThrow('a.csv is empty');
  expect(await readdir(join(home, 'uploads'))).toEqual([]);
});

test('a disk that would be full is left as it is', async () => {
  const uploads = createUploads(home, now, { spare: Number.MAX_SAFE_INTEGER });
  await expect(uploads.receive('a.csv', 'ops-1', pieces('1'))).rejects.toThrow('has no room for a.csv');
});

test('of several at once no more come in than fit, also where others fill the disk meanwhile', async () => {
  const MIB = 1024 ** 2;
  const disk = { free: 100 * MIB };
  async function* filling() {
    for (let i = 0; i < 60; i += 1) {
      disk.free -= MIB;
      yield Buffer.alloc(MIB);
    }
  }
  const uploads = createUploads(home, now, { spare: 0, freeBytes: async () => disk.free });
  const all = ['a.csv', 'b.csv', 'c.csv'].map((name) => uploads.receive(name, 'ops-1', filling()));
  const ended = await Promise.allSettled(all);
  expect(disk.free).toBeGreaterThan(-3 * 16 * MIB);
  const why = ended.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
  expect(why.length).toBeGreaterThan(1);
  for (const one of why) expect(one).toContain('has no room for');
});

test('only so many come in at the same time', async () => {
  const uploads = createUploads(home, now, { atOnce: 1 });
  const gate = deferred<void>();
  async function* slow() {
    yield Buffer.from('1');
    await gate.promise;
  }
  const first = uploads.receive('a.csv', 'ops-1', slow());
  await expect(uploads.receive('b.csv', 'ops-2', pieces('1'))).rejects.toThrow(
    '1 files are coming in already',
  );
  gate.resolve();
  expect(await first).toMatchObject({ bytes: 1 });
  expect(await uploads.receive('b.csv', 'ops-2', pieces('1'))).toMatchObject({ bytes: 1 });
});

test('one that has been there for a day is gone, and what is no upload stays', async () => {
  const uploads = createUploads(home, () => new Date());
  const old = await uploads.receive('a.csv', 'ops-1', pieces('1'));
  const young = await uploads.receive('b.csv', 'ops-1', pieces('1'));
  await writeFile(join(home, 'uploads', 'note.txt'), 'mine');
  const yesterday = Date.now() / 1000 - 25 * 3600;
  await utimes(join(home, 'uploads', old.id), yesterday, yesterday);
  expect(await uploads.list()).toEqual([young]);
  expect((await readdir(join(home, 'uploads'))).toSorted()).toEqual([young.id, 'note.txt'].toSorted());
});
