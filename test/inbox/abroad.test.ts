import { execFileSync } from 'node:child_process';
import { appendFile, chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { prepareAbroad, UnusableInbox } from '../../src/inbox/abroad.ts';
import { bringHome } from '../../src/inbox/bring-home.ts';
import { type Claim, claimEntry } from '../../src/inbox/claim.ts';
import { claimOf, dropClaim, listClaims } from '../../src/inbox/claims.ts';
import { returnFile } from '../../src/inbox/give-back.ts';
import { WATCHED_MS } from '../../src/inbox/late-changes.ts';
import {
  isWrittenAbroad,
  keepOriginal,
  lateOriginals,
  originalOf,
  removeOriginal,
} from '../../src/inbox/originals.ts';
import { ownFolder } from './entries.ts';
import { ELSEWHERE, entryIn, newClaim, setUpInbox } from './some-claim.ts';

async function claimed(path = 'a.csv') {
  const { inbox, base } = await setUpInbox({ [path]: 'text' }, ELSEWHERE);
  const entry = await entryIn(inbox, path);
  const given = newClaim(inbox, base, entry);
  await prepareAbroad(inbox);
  const claim = await claimEntry(entry, { ...given, info: { ...given.info, isAbroad: true } });
  if (claim === null) throw new Error('not claimed');
  return { inbox, base, claim };
}

async function home(claim: Claim): Promise<Claim> {
  const brought = await bringHome(claim);
  if (brought.kind !== 'home') throw new Error(brought.kind);
  return brought.claim;
}

const later = (ms: number) => new Date(Date.now() + ms);

test('a file of an inbox on another file system is copied home, and lies in its inbox under the id of its claim', async () => {
  const { inbox, base, claim } = await claimed('north/a.csv');
  const copied = await home(claim);
  expect(await readFile(copied.file, 'utf8')).toBe('text');
  expect(await readdir(join(inbox, '.processing'))).toEqual([claim.id]);
  const [found] = await listClaims(base);
  expect(found === undefined ? null : claimOf(found)).toEqual(copied);
});

test('a watcher killed before the copy has its name leaves one claim, which is gone on with', async () => {
  const { base, claim } = await claimed();
  await rm((await home(claim)).file);
  const found = await listClaims(base);
  expect(found.map(claimOf)).toEqual([claim]);
  expect(await readFile((await home(claim)).file, 'utf8')).toBe('text');
});

test('a file that is written to while it is to be copied home is copied when it is whole', async () => {
  const { claim } = await claimed();
  await appendFile(originalOf(claim), ' and more');
  const first = await bringHome(claim);
  if (first.kind !== 'changed') throw new Error(first.kind);
  const again = await home({ ...claim, info: { ...claim.info, stamp: first.stamp } });
  expect(await readFile(again.file, 'utf8')).toBe('text and more');
});

test('what a slow writer adds after the copy is found out and kept', async () => {
  const { claim } = await claimed();
  const copied = await home(claim);
  expect(await isWrittenAbroad(copied)).toBe(false);
  await appendFile(originalOf(claim), ' and more');
  expect(await isWrittenAbroad(copied)).toBe(true);
  expect(await removeOriginal(copied)).toBe(true);
  expect(await readFile(originalOf(claim), 'utf8')).toBe('text and more');
});

test('an original is kept after its run for as long as late changes are looked for, and a change is told once', async () => {
  const { inbox, base, claim } = await claimed();
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

test('an original that nobody wrote to is removed in the end', async () => {
  const { inbox, base, claim } = await claimed();
  await keepOriginal(await home(claim), base, 'a.id.csv');
  expect(await lateOriginals(base, new Set([inbox]), later(2 * WATCHED_MS))).toEqual([]);
  expect(await readdir(join(inbox, '.processing'))).toEqual([]);
  expect(await readdir(join(base, '.originals'))).toEqual([]);
});

test('a file that was taken abroad can go back to its place', async () => {
  const { inbox, claim } = await claimed('north/a.csv');
  expect(await returnFile(await home(claim))).toBe(true);
  expect(await readdir(join(inbox, 'north'))).toEqual(['a.csv']);
  expect(await readdir(join(inbox, '.processing'))).toEqual([]);
});

test('what was put in the place of a file abroad is not read', async () => {
  const { claim } = await claimed();
  await rm(originalOf(claim));
  expect(await bringHome(claim)).toEqual({ kind: 'gone' });
  await symlink('/etc/passwd', originalOf(claim));
  expect((await bringHome(claim)).kind).toBe('refused');
  await rm(originalOf(claim));
  execFileSync('mkfifo', [originalOf(claim)]);
  expect((await bringHome(claim)).kind).toBe('refused');
});

test('what lies in the folder of an inbox and no claim of ours names is not looked at', async () => {
  const { inbox, base, claim } = await claimed();
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
  await expect(prepareAbroad(inbox)).rejects.toThrow(UnusableInbox);
  await rm(join(inbox, '.processing'));
  await prepareAbroad(inbox);
  await chmod(join(inbox, '.processing'), 0o777);
  await expect(prepareAbroad(inbox)).rejects.toThrow('is open to other users');
});

test('a folder of taken files that is away, as of a file system that is not mounted, is not taken for empty', async () => {
  const { inbox, claim } = await claimed();
  await rm(join(inbox, '.processing'), { recursive: true });
  await expect(bringHome(claim)).rejects.toThrow(UnusableInbox);
});
