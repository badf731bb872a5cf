import { execFileSync } from 'node:child_process';
import { appendFile, chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Claim, claimOf, dropClaim, listClaims, returnFile } from '../../src/inbox/claim.ts';
import {
  copyHome,
  isOriginalWritten,
  keepOriginal,
  lateOriginals,
  originalOf,
  removeOriginal,
  WATCHED_MS,
} from '../../src/inbox/other-file-system.ts';
import { prepareTakenFolder, UnusableInbox } from '../../src/inbox/shared-folder.ts';
import { ownFolder } from '../support/folder.ts';
import { claimFoundIn, claimIn, ELSEWHERE, setUpInbox } from './files.ts';

const taken = async (path = 'a.csv') => {
  const home = await setUpInbox({ [path]: 'text' }, ELSEWHERE);
  await prepareTakenFolder(home.inbox);
  return { ...home, claim: await claimIn(home, path, { isOnOtherFileSystem: true }) };
};

async function home(claim: Claim): Promise<Claim> {
  const brought = await copyHome(claim);
  if (brought.kind !== 'home') throw new Error(brought.kind);
  return brought.claim;
}

const later = (ms: number) => new Date(Date.now() + ms);

test('a file of an inbox on another file system is copied home, and lies in its inbox under the id of its claim', async () => {
  const { inbox, base, claim } = await taken('north/a.csv');
  const copied = await home(claim);
  expect(await readFile(copied.file, 'utf8')).toBe('text');
  expect(await readdir(join(inbox, '.processing'))).toEqual([claim.id]);
  expect(claimOf(await claimFoundIn(base))).toEqual(copied);
});

test('a watcher killed before the copy has its name leaves one claim, which is gone on with', async () => {
  const { base, claim } = await taken();
  await rm((await home(claim)).file);
  const found = await listClaims(base);
  expect(found.map(claimOf)).toEqual([claim]);
  expect(await readFile((await home(claim)).file, 'utf8')).toBe('text');
});

test('a file that is written to while it is to be copied home is copied when it is whole', async () => {
  const { claim } = await taken();
  await appendFile(originalOf(claim), ' and more');
  const first = await copyHome(claim);
  if (first.kind !== 'changed') throw new Error(first.kind);
  const again = await home({ ...claim, info: { ...claim.info, stamp: first.stamp } });
  expect(await readFile(again.file, 'utf8')).toBe('text and more');
});

test('what a slow writer adds after the copy is found out and kept', async () => {
  const { claim } = await taken();
  const copied = await home(claim);
  expect(await isOriginalWritten(copied)).toBe(false);
  await appendFile(originalOf(claim), ' and more');
  expect(await isOriginalWritten(copied)).toBe(true);
  expect(await removeOriginal(copied)).toBe(true);
  expect(await readFile(originalOf(claim), 'utf8')).toBe('text and more');
});

test('an original is kept after its run for as long as late changes are looked for, and a change is told once', async () => {
  const { inbox, base, claim } = await taken();
  const copied = await home(claim);
  await keepOriginal(copied, base, 'a.id.csv');
  await dropClaim(copied);
  const look = (ms: number, inboxes = [inbox]) => lateOriginals(base, new Set(inboxes), later(ms));
  expect(await look(0)).toEqual([]);
  await appendFile(originalOf(claim), ' and more');
  expect(await look(0, [])).toEqual([]);
  expect(await look(0)).toEqual([{ done: 'a.id.csv', original: originalOf(claim) }]);
  expect(await look(2 * WATCHED_MS)).toEqual([]);
  expect(await readFile(originalOf(claim), 'utf8')).toBe('text and more');
  expect(await listClaims(base)).toEqual([]);
});

test('a file that was taken on another file system can go back to its place', async () => {
  const { inbox, claim } = await taken('north/a.csv');
  expect(await returnFile(await home(claim))).toBe(true);
  expect(await readdir(join(inbox, 'north'))).toEqual(['a.csv']);
  expect(await readdir(join(inbox, '.processing'))).toEqual([]);
});

test('what was put in the place of the original is not read', async () => {
  const { claim } = await taken();
  await rm(originalOf(claim));
  expect(await copyHome(claim)).toEqual({ kind: 'gone' });
  await symlink('/etc/passwd', originalOf(claim));
  expect((await copyHome(claim)).kind).toBe('refused');
  await rm(originalOf(claim));
  execFileSync('mkfifo', [originalOf(claim)]);
  expect((await copyHome(claim)).kind).toBe('refused');
});

test('what lies in the folder of an inbox and no claim of ours names is not looked at', async () => {
  const { inbox, base, claim } = await taken();
  const forged = join(inbox, '.processing', '20261121-100000-zzzz');
  await mkdir(forged);
  await writeFile(join(forged, '.claim.x.json'), JSON.stringify({ ...claim.info, path: '../b.csv' }));
  await writeFile(join(forged, 'b.csv'), 'forged');
  expect((await listClaims(base)).map(({ id }) => id)).toEqual([claim.id]);
  await home(claim);
  expect(await readdir(forged)).toHaveLength(2);
});

test('an inbox is unusable whose folder for taken files is a link, or open to others', async () => {
  const { inbox } = await setUpInbox({});
  await symlink(await ownFolder(), join(inbox, '.processing'));
  await expect(prepareTakenFolder(inbox)).rejects.toThrow(UnusableInbox);
  await rm(join(inbox, '.processing'));
  await prepareTakenFolder(inbox);
  await chmod(join(inbox, '.processing'), 0o777);
  await expect(prepareTakenFolder(inbox)).rejects.toThrow('is open to other users');
});
