import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openClaimed } from '../../src/inbox/check-claimed.ts';
import { claimEntry } from '../../src/inbox/claim.ts';
import { beat, claimOf, listClaims, takeOver } from '../../src/inbox/claims.ts';
import { giveBack, returnFile } from '../../src/inbox/give-back.ts';
import { listEntries } from '../../src/inbox/list-entries.ts';
import { ownFolder } from './entries.ts';
import { entryIn, newClaim, setUpInbox as setUp } from './some-claim.ts';

test('a claimed file is out of its inbox and known by its claim', async () => {
  const { inbox, base } = await setUp({ 'north/a.csv': 'text' });
  const entry = await entryIn(inbox, 'north/a.csv');
  const claim = await claimEntry(entry, newClaim(inbox, base, entry));
  expect(await readFile(claim?.file ?? '', 'utf8')).toBe('text');
  expect((await listEntries(inbox)).entries).toEqual([]);
  const [found] = await listClaims(base);
  expect(found === undefined ? null : claimOf(found)).toEqual(claim);
});

test('of many that claim a file at once one gets it, and the others leave nothing behind', async () => {
  const { inbox, base } = await setUp({ 'a.csv': 'text', 'a.csv.done': '' });
  const entry = await entryIn(inbox, 'a.csv');
  const info = { ...newClaim(inbox, base, entry).info, marker: 'a.csv.done' };
  const claims = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      claimEntry(entry, newClaim(inbox, base, entry, { id: `claim-${i}`, member: `member-${i}`, info })),
    ),
  );
  const won = claims.filter((claim) => claim !== null);
  expect(won).toHaveLength(1);
  expect(await readdir(base)).toEqual([won[0]?.id]);
  expect((await listEntries(inbox)).entries).toEqual([]);
});

test('a folder on the way that has become a link is not followed', async () => {
  const { inbox, base } = await setUp({ 'north/a.csv': 'text' });
  const outside = await ownFolder();
  await writeFile(join(outside, 'a.csv'), 'secret');
  const entry = await entryIn(inbox, 'north/a.csv');
  await rename(join(inbox, 'north'), join(inbox, 'was-north'));
  await symlink(outside, join(inbox, 'north'));
  expect(await claimEntry(entry, newClaim(inbox, base, entry))).toBeNull();
  expect(await readdir(outside)).toEqual(['a.csv']);
  expect((await listEntries(inbox)).entries.map(({ path }) => path)).toEqual(['north', 'was-north/a.csv']);
});

test('a claim can be taken over once, and its former owner hears of it', async () => {
  const { inbox, base } = await setUp({ 'a.csv': 'text' });
  const entry = await entryIn(inbox, 'a.csv');
  const claim = await claimEntry(entry, newClaim(inbox, base, entry));
  if (claim === null) throw new Error('not claimed');
  expect(await beat(claim)).toBe(true);
  const [found] = await listClaims(base);
  if (found === undefined) throw new Error('not found');
  const taken = await Promise.all(['member-2', 'member-3'].map((member) => takeOver(found, member)));
  expect(taken.filter((one) => one !== null)).toHaveLength(1);
  expect(await beat(claim)).toBe(false);
  expect((await listClaims(base)).map(({ name }) => name)).toEqual(['a.csv']);
});

test('a watcher killed between marker and file leaves a claim that gives the marker back', async () => {
  const { inbox, base } = await setUp({ 'a.csv': 'text', 'a.csv.done': '' });
  const entry = await entryIn(inbox, 'a.csv');
  const info = { ...newClaim(inbox, base, entry).info, marker: 'a.csv.done' };
  const claim = await claimEntry(entry, newClaim(inbox, base, entry, { info }));
  // As it was one rename before.
  await rename(claim?.file ?? '', join(inbox, 'a.csv'));
  const [found] = await listClaims(base);
  if (found === undefined) throw new Error('not found');
  expect(claimOf(found)).toBeNull();
  expect(await giveBack(found, inbox)).toBe(true);
  expect((await listEntries(inbox)).entries.map(({ path }) => path)).toEqual(['a.csv', 'a.csv.done']);
  expect(await readdir(base)).toEqual([]);
});

test('a file of which nothing is written down goes back to its inbox, but never over another one', async () => {
  const { inbox, base } = await setUp({ 'a.csv': 'text' });
  const entry = await entryIn(inbox, 'a.csv');
  await claimEntry(entry, newClaim(inbox, base, entry));
  await writeFile(join(base, '20261121-100000-aaaa', '.claim.member-1.json'), '{"job"');
  await writeFile(join(inbox, 'a.csv'), 'another');
  const [found] = await listClaims(base);
  if (found === undefined) throw new Error('not found');
  expect(await giveBack(found, inbox)).toBe(false);
  await rm(join(inbox, 'a.csv'));
  expect(await giveBack(found, inbox)).toBe(true);
  expect(await readFile(join(inbox, 'a.csv'), 'utf8')).toBe('text');
});

test('what was put in the place of a claimed file is not read', async () => {
  const { inbox, base } = await setUp({ 'a.csv': 'text' });
  const entry = await entryIn(inbox, 'a.csv');
  const claim = await claimEntry(entry, newClaim(inbox, base, entry));
  const file = claim?.file ?? '';
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
  const { inbox, base } = await setUp({ 'a.csv': 'text', 'a.csv.done': '' });
  const entry = await entryIn(inbox, 'a.csv');
  const info = { ...newClaim(inbox, base, entry).info, marker: 'a.csv.done' };
  const claim = await claimEntry(entry, newClaim(inbox, base, entry, { info }));
  // Killed after the file was put away, and before the claim was dropped.
  await rm(claim?.file ?? '');
  await writeFile(join(inbox, 'a.csv'), 'half of the nex');
  const [found] = await listClaims(base);
  if (found === undefined) throw new Error('not found');
  expect(await giveBack(found, inbox)).toBe(true);
  expect(await readdir(inbox)).toEqual(['a.csv']);
  expect(await readdir(base)).toEqual([]);
});

test('a file goes back to its place with its marker, but never over another one', async () => {
  const { inbox, base } = await setUp({ 'north/a.csv': 'text', 'north/a.csv.done': '' });
  const entry = await entryIn(inbox, 'north/a.csv');
  const info = { ...newClaim(inbox, base, entry).info, marker: 'a.csv.done' };
  const claim = await claimEntry(entry, newClaim(inbox, base, entry, { info }));
  if (claim === null) throw new Error('not claimed');
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
    const { inbox, base } = await setUp({ 'a.csv': 'text' });
    const entry = await entryIn(inbox, 'a.csv');
    const claim = await claimEntry(entry, newClaim(inbox, base, entry));
    if (claim === null) throw new Error('not claimed');
    await writeFile(join(claim.folder, '.claim.member-1.json'), JSON.stringify({ ...claim.info, ...over }));
    expect((await listClaims(base)).map(({ info }) => info)).toEqual([null]);
  },
);

test('a pipe in the place of what is written down of a claim does not hang anything', async () => {
  const { inbox, base } = await setUp({ 'a.csv': 'text' });
  const entry = await entryIn(inbox, 'a.csv');
  const claim = await claimEntry(entry, newClaim(inbox, base, entry));
  const path = join(claim?.folder ?? '', '.claim.member-1.json');
  await rm(path);
  execFileSync('mkfifo', [path]);
  expect((await listClaims(base)).map(({ info }) => info)).toEqual([null]);
});
