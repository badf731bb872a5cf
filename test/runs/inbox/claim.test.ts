import {
  chmod,
  copyFile,
  link,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import {
  claimEntry,
  claimedStamp,
  claimFolder,
  dropClaim,
  holdsFile,
  listClaims,
  removeLeft,
  returnFile,
  undoClaim,
} from '../../../src/runs/inbox/claim.ts';
import { listEntries } from '../../../src/runs/inbox/entry.ts';
import { ownFolder } from '../../support/folder.ts';
import { CLAIM_ID, claimed, claimIn, claimsIn, ELSEWHERE, entryIn, newClaim, setUpInbox } from './files.ts';

const MARKED = { marker: 'a.csv.done' };

const pathsIn = async (inbox: string) => (await listEntries(inbox)).entries.map(({ path }) => path);
const processingIn = (inbox: string) => readdir(join(inbox, '.processing'));

test.each([
  ['the home', undefined],
  ['another file system', ELSEWHERE],
])(
  'a claimed file of an inbox on %s is read in its own folder there, and known by its claim',
  async (_, under) => {
    const { inbox, claim } = await claimed('north/a.csv', {}, under);
    expect(await readFile(claim.file, 'utf8')).toBe('text');
    expect(await pathsIn(inbox)).toEqual([]);
    expect(await claimsIn(inbox)).toEqual([claim]);
    expect(claim.file).toBe(join(inbox, '.processing', CLAIM_ID, 'a.csv'));
    expect((await stat(join(inbox, '.processing'))).mode & 0o777).toBe(0o700);
  },
);

test('a folder on the way that has become a link is not followed', async () => {
  const { inbox } = await setUpInbox({ 'north/a.csv': 'text' });
  const outside = await ownFolder();
  await writeFile(join(outside, 'a.csv'), 'secret');
  const { path, stamp, ...entry } = await entryIn(inbox, 'north/a.csv');
  await rename(join(inbox, 'north'), join(inbox, 'was-north'));
  await symlink(outside, join(inbox, 'north'));
  expect(await claimEntry({ ...entry, path, stamp }, newClaim(inbox, { path, stamp }))).toBeNull();
  expect(await readdir(outside)).toEqual(['a.csv']);
  expect(await pathsIn(inbox)).toEqual(['north', 'was-north/a.csv']);
  expect(await processingIn(inbox)).toEqual([]);
});

test('a watcher killed between marker and file leaves a claim that gives the marker back', async () => {
  const { inbox, claim } = await claimed('a.csv', MARKED);
  // As it was one rename before.
  await rename(claim.file, join(inbox, 'a.csv'));
  expect(await claimedStamp(claim)).toBeNull();
  expect(await undoClaim(claim)).toBe(true);
  await dropClaim(claim);
  expect(await pathsIn(inbox)).toEqual(['a.csv', 'a.csv.done']);
  expect(await processingIn(inbox)).toEqual([]);
});

test('a marker does not go back beside a newer file of the name: it would speak for that', async () => {
  const { inbox, claim } = await claimed('a.csv', MARKED);
  // Killed after the file was put away, and before the claim was dropped.
  await rm(claim.file);
  await writeFile(join(inbox, 'a.csv'), 'half of the nex');
  expect(await undoClaim(claim)).toBe(false);
  await dropClaim(claim);
  expect(await pathsIn(inbox)).toEqual(['a.csv']);
  expect(await processingIn(inbox)).toEqual([]);
});

test('a claim that still has its file is not dropped', async () => {
  const { inbox, claim } = await claimed();
  await dropClaim(claim);
  expect(await claimsIn(inbox)).toEqual([claim]);
  expect(await readFile(claim.file, 'utf8')).toBe('text');
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

test('an upload becomes a claim by one rename, with all that lies beside it', async () => {
  const { home } = await setUpInbox({});
  const inbox = join(home, 'uploads');
  const upload = join(inbox, 'a');
  await mkdir(upload, { recursive: true });
  for (const name of ['a.csv', 'upload.json']) await writeFile(join(upload, name), 'text');
  await claimFolder(upload, newClaim(inbox));
  const [claim] = await claimsIn(inbox);
  if (claim === undefined) throw new Error('no claim was found');
  expect([await readdir(inbox), await readFile(claim.file, 'utf8')]).toEqual([['.processing'], 'text']);
  await rm(claim.file);
  await dropClaim(claim);
  expect(await processingIn(inbox)).toEqual([]);
});

test('what was put in the place of a claimed file has no stamp, nor has one that is known by another name', async () => {
  const { claim, inbox } = await claimed();
  expect(await claimedStamp(claim)).toBe(claim.info.stamp);
  await link(claim.file, join(inbox, 'another.csv'));
  expect(await claimedStamp(claim)).toBe('');
  await rm(claim.file);
  await symlink('/etc/passwd', claim.file);
  expect(await claimedStamp(claim)).toBe('');
  await rm(claim.file);
  await mkdir(claim.file);
  expect(await claimedStamp(claim)).toBe('');
});

test.each([{ path: '../a.csv' }, { path: '/etc/passwd' }, { marker: '../../a.done' }, 'half of'])(
  'what is written down of a claim is not believed with %o in it',
  async (over) => {
    const { inbox, claim } = await claimed();
    const path = join(claim.folder, '.claim.json');
    const text = await readFile(path, 'utf8');
    await writeFile(path, typeof over === 'string' ? over : JSON.stringify({ ...JSON.parse(text), ...over }));
    expect(await listClaims(inbox)).toEqual({ claims: [], strange: [claim.folder] });
    await writeFile(path, text);
    expect(await claimsIn(inbox)).toEqual([claim]);
  },
);

test.each(['', '{"job":'])(
  'a claim that a kill left half written (%j) is none, and is removed',
  async (text) => {
    const { inbox, claim } = await claimed();
    const draft = join(inbox, '.processing', '.20261127-070935-3xtn');
    await mkdir(draft);
    await writeFile(join(draft, '.claim.json'), text);
    const whole = join(inbox, '.processing', '.20261127-070935-4xtn');
    await mkdir(whole);
    await copyFile(join(claim.folder, '.claim.json'), join(whole, '.claim.json'));
    const { claims, strange } = await listClaims(inbox);
    expect([claims, [...strange].sort()]).toEqual([[claim], [draft, whole]]);
    expect(await Promise.all(strange.map(removeLeft))).toEqual([true, true]);
    expect(await listClaims(inbox)).toEqual({ claims: [claim], strange: [] });
  },
);

test('a file of which nothing is known is told once it has stood for a minute, a hidden one never', async () => {
  const names = ['.DS_Store', 'hidden/.nfs0001', 'lost/a.csv', 'b.csv'];
  const { inbox } = await setUpInbox(Object.fromEntries(names.map((name) => [`.processing/${name}`, ''])));
  await chmod(join(inbox, '.processing'), 0o700);
  const { strange } = await listClaims(inbox);
  expect(await Promise.all(strange.map(removeLeft))).toEqual([false, false, false, false]);
  const told = async (age: number) => {
    const holds = async (folder: string) => holdsFile(folder, (await stat(folder)).ctimeMs + age);
    const isTold = await Promise.all(strange.map(holds));
    return strange.filter((_, i) => isTold[i]).map((folder) => basename(folder));
  };
  expect([await told(59_999), (await told(60_000)).sort()]).toEqual([[], ['b.csv', 'lost']]);
});

test('an inbox is unusable whose folder for claims is a link, or open to others', async () => {
  const { inbox } = await setUpInbox({ 'a.csv': 'text' });
  await symlink(await ownFolder(), join(inbox, '.processing'));
  await expect(claimIn(inbox, 'a.csv')).rejects.toThrow('is no folder: expected a folder of this user alone');
  await rm(join(inbox, '.processing'));
  await mkdir(join(inbox, '.processing'));
  await chmod(join(inbox, '.processing'), 0o777);
  await expect(listClaims(inbox)).rejects.toThrow('is open to other users');
  expect(await pathsIn(inbox)).toEqual(['a.csv']);
});
