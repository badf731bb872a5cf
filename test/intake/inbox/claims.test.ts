import { existsSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bringHome, foreignBase } from '../../../src/intake/inbox/bring-home.ts';
import { openClaimed } from '../../../src/intake/inbox/check-claimed.ts';
import { claimEntry, type NewClaim } from '../../../src/intake/inbox/claim.ts';
import { beat, claimOf, listClaims, takeOver } from '../../../src/intake/inbox/claims.ts';
import type { Entry } from '../../../src/intake/inbox/entry.ts';
import { giveBack } from '../../../src/intake/inbox/give-back.ts';
import { listEntries } from '../../../src/intake/inbox/list-entries.ts';
import { ownFolder } from './entries.ts';

/** Another file system than that of temporary files, where the machine has one. */
const ELSEWHERE = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

async function setUp(files: Readonly<Record<string, string>>, under?: string) {
  const inbox = await ownFolder(under);
  const base = join(await ownFolder(), 'processing');
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(inbox, path, '..'), { recursive: true });
    await writeFile(join(inbox, path), text);
  }
  return { inbox, base };
}

async function entryIn(inbox: string, path: string): Promise<Entry> {
  const entry = (await listEntries(inbox)).entries.find((one) => one.path === path);
  if (entry === undefined) throw new Error(`${path} is not in the inbox`);
  return entry;
}

function newClaim(inbox: string, base: string, entry: Entry, over: Partial<NewClaim> = {}): NewClaim {
  const { path, stamp } = entry;
  const info = { job: 'j', inbox, path, claimedAt: '2026-11-21T10:00:00.000Z', stamp, marker: null };
  return { base, id: '20261121-100000-aaaa', member: 'member-1', info, ...over };
}

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

test('a file of an inbox on another file system is claimed there and copied home', async () => {
  const { inbox, base } = await setUp({ 'north/a.csv': 'text' }, ELSEWHERE);
  const entry = await entryIn(inbox, 'north/a.csv');
  const claim = await claimEntry(entry, newClaim(inbox, await foreignBase(inbox), entry));
  if (claim === null) throw new Error('not claimed');
  const brought = await bringHome(claim, base);
  if (brought.kind !== 'home') throw new Error(brought.kind);
  expect(await readFile(brought.claim.file, 'utf8')).toBe('text');
  expect(brought.claim.info.path).toBe('north/a.csv');
  expect(await readdir(join(inbox, '.processing'))).toEqual([]);
  expect((await listClaims(base)).map(({ name }) => name)).toEqual(['a.csv']);
});

test('a file that is written to while it is to be copied home is copied when it is whole', async () => {
  const { inbox, base } = await setUp({ 'a.csv': 'text' }, ELSEWHERE);
  const entry = await entryIn(inbox, 'a.csv');
  const claim = await claimEntry(entry, newClaim(inbox, await foreignBase(inbox), entry));
  if (claim === null) throw new Error('not claimed');
  await appendFile(claim.file, ' and more');
  const first = await bringHome(claim, base);
  if (first.kind !== 'changed') throw new Error(first.kind);
  const again = await bringHome({ ...claim, info: { ...claim.info, stamp: first.stamp } }, base);
  expect(again.kind === 'home' && (await readFile(again.claim.file, 'utf8'))).toBe('text and more');
});

test('a folder of claims that was swapped for a link is not used', async () => {
  const { inbox } = await setUp({});
  await symlink(await ownFolder(), join(inbox, '.processing'));
  await expect(foreignBase(inbox)).rejects.toThrow();
});
