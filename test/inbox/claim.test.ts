import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  beat,
  claimEntry,
  claimOf,
  finishHandIns,
  giveBack,
  handIn,
  listClaims,
  openClaimed,
  returnFile,
  takeOver,
} from '../../src/inbox/claim.ts';
import { listEntries } from '../../src/inbox/entry.ts';
import { ownFolder } from '../support/folder.ts';
import { claimed, claimFoundIn, entryIn, entryOf, newClaim, setUpInbox } from './files.ts';

const MARKED = { marker: 'a.csv.done' };

const pathsIn = async (inbox: string) => (await listEntries(inbox)).entries.map(({ path }) => path);

test('a claimed file is out of its inbox and known by its claim', async () => {
  const { inbox, base, claim } = await claimed('north/a.csv');
  expect(await readFile(claim.file, 'utf8')).toBe('text');
  expect(await pathsIn(inbox)).toEqual([]);
  expect(claimOf(await claimFoundIn(base))).toEqual(claim);
});

test('of many that claim a file at once one gets it, and the others leave nothing behind', async () => {
  const home = await setUpInbox({ 'a.csv': 'text', 'a.csv.done': '' });
  const entry = await entryIn(home.inbox, 'a.csv');
  const claims = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      claimEntry(entry, { ...newClaim(home, entry, MARKED), id: `claim-${i}`, member: `member-${i}` }),
    ),
  );
  const won = claims.filter((claim) => claim !== null);
  expect(won).toHaveLength(1);
  expect(await readdir(home.base)).toEqual([won[0]?.id]);
  expect(await pathsIn(home.inbox)).toEqual([]);
});

test('a folder on the way that has become a link is not followed', async () => {
  const home = await setUpInbox({ 'north/a.csv': 'text' });
  const { inbox } = home;
  const outside = await ownFolder();
  await writeFile(join(outside, 'a.csv'), 'secret');
  const entry = await entryIn(inbox, 'north/a.csv');
  await rename(join(inbox, 'north'), join(inbox, 'was-north'));
  await symlink(outside, join(inbox, 'north'));
  expect(await claimEntry(entry, newClaim(home, entry))).toBeNull();
  expect(await readdir(outside)).toEqual(['a.csv']);
  expect(await pathsIn(inbox)).toEqual(['north', 'was-north/a.csv']);
});

test('a claim can be taken over once, and its former owner hears of it', async () => {
  const { base, claim } = await claimed();
  expect(await beat(claim)).toBe(true);
  const found = await claimFoundIn(base);
  const taken = await Promise.all(['member-2', 'member-3'].map((member) => takeOver(found, member)));
  expect(taken.filter((one) => one !== null)).toHaveLength(1);
  expect(await beat(claim)).toBe(false);
  expect((await claimFoundIn(base)).name).toBe('a.csv');
});

test('a watcher killed between marker and file leaves a claim that gives the marker back', async () => {
  const { inbox, base, claim } = await claimed('a.csv', MARKED);
  // As it was one rename before.
  await rename(claim.file, join(inbox, 'a.csv'));
  const found = await claimFoundIn(base);
  expect(claimOf(found)).toBeNull();
  expect(await giveBack(found, inbox)).toBe(true);
  expect(await pathsIn(inbox)).toEqual(['a.csv', 'a.csv.done']);
  expect(await readdir(base)).toEqual([]);
});

test('an upload whose hand-in a kill ended between its two renames is a claim at the next start, and no look sees it before it is whole', async () => {
  const { home, base } = await setUpInbox({});
  const upload = join(home, 'uploads', 'a');
  await mkdir(upload, { recursive: true });
  await writeFile(join(upload, 'a.csv'), 'text');
  const entry = entryOf('a.csv');
  const given = newClaim({ inbox: join(home, 'inbox'), base }, entry);
  // Something that is in the way of the second rename.
  await mkdir(join(base, given.id, 'in-the-way'), { recursive: true });
  await expect(handIn(join(upload, 'a.csv'), 'a.csv', given)).rejects.toThrow('ENOTEMPTY');
  await rm(join(base, given.id), { recursive: true });
  expect(await listClaims(base)).toEqual([]);
  await finishHandIns(base);
  const claim = claimOf(await claimFoundIn(base));
  expect(claim).toMatchObject({ id: given.id, name: 'a.csv', info: given.info });
  expect(await readFile(claim?.file ?? '', 'utf8')).toBe('text');
  await finishHandIns(base);
  await finishHandIns(join(home, 'nowhere'));
});

test('a file of which nothing is written down goes back to its inbox, but never over another one', async () => {
  const { inbox, base, claim } = await claimed();
  await writeFile(join(claim.folder, '.claim.member-1.json'), '{"job"');
  await writeFile(join(inbox, 'a.csv'), 'another');
  const found = await claimFoundIn(base);
  expect(await giveBack(found, inbox)).toBe(false);
  await rm(join(inbox, 'a.csv'));
  expect(await giveBack(found, inbox)).toBe(true);
  expect(await readFile(join(inbox, 'a.csv'), 'utf8')).toBe('text');
});

test('what was put in the place of a claimed file is not read', async () => {
  const { file } = (await claimed()).claim;
  await rm(file);
  await symlink('/etc/passwd', file);
  expect(await openClaimed(file)).toMatchObject({
    kind: 'refused',
    why: expect.stringContaining('symbolic link'),
  });
  await rm(file);
  await mkdir(file);
  expect(await openClaimed(file)).toMatchObject({ kind: 'refused' });
});

test('a marker does not go back beside a newer file of the name: it would speak for that', async () => {
  const { inbox, base, claim } = await claimed('a.csv', MARKED);
  // Killed after the file was put away, and before the claim was dropped.
  await rm(claim.file);
  await writeFile(join(inbox, 'a.csv'), 'half of the nex');
  expect(await giveBack(await claimFoundIn(base), inbox)).toBe(true);
  expect(await readdir(inbox)).toEqual(['a.csv']);
  expect(await readdir(base)).toEqual([]);
});

test('a file goes back to its place with its marker, but never over another one', async () => {
  const { inbox, claim } = await claimed('north/a.csv', MARKED);
  await writeFile(join(inbox, 'north', 'a.csv'), 'another');
  expect(await returnFile(claim)).toBe(false);
  await rm(join(inbox, 'north', 'a.csv'));
  expect(await returnFile(claim)).toBe(true);
  expect(await readdir(join(inbox, 'north'))).toEqual(['a.csv', 'a.csv.done']);
  expect((await entryIn(inbox, 'north/a.csv')).links).toBe(1);
});

test.each([{ path: '../a.csv' }, { path: '/etc/passwd' }, { marker: '../../a.done' }])(
  'what is written down of a claim is not believed with %o in it',
  async (over) => {
    const { base, claim } = await claimed();
    const path = join(claim.folder, '.claim.member-1.json');
    const text = await readFile(path, 'utf8');
    await writeFile(path, JSON.stringify({ ...JSON.parse(text), ...over }));
    expect((await listClaims(base)).map(({ info }) => info)).toEqual([null]);
    await writeFile(path, text);
    expect((await listClaims(base)).map(({ info }) => info)).toEqual([claim.info]);
  },
);

test('a pipe in the place of what is written down of a claim does not hang anything', async () => {
  const { base, claim } = await claimed();
  const path = join(claim.folder, '.claim.member-1.json');
  await rm(path);
  execFileSync('mkfifo', [path]);
  expect((await listClaims(base)).map(({ info }) => info)).toEqual([null]);
});
