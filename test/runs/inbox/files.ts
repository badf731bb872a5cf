import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Job, jobDefinitionSchema } from '../../../src/config/job-definition.ts';
import { type Claim, claimEntry, listClaims } from '../../../src/runs/inbox/claim.ts';
import { type Entry, listEntries } from '../../../src/runs/inbox/entry.ts';
import type { Inbox } from '../../../src/runs/inbox/job-book.ts';
import { ownFolder } from '../../support/folder.ts';

/** Another file system than that of temporary files, where the machine has one. */
export const ELSEWHERE = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** A regular file that was changed at the moment 1,000. */
export function entryOf(path: string, over: Partial<Entry> = {}): Entry {
  const parts = path.split('/').map((part) => Buffer.from(part));
  return {
    parts: parts.slice(0, -1),
    name: parts.at(-1) ?? Buffer.from(''),
    path,
    kind: 'file',
    links: 1,
    stamp: '1:2:3',
    changedMs: 1_000,
    writtenMs: 1_000,
    ...over,
  };
}

export function jobOf(name: string, settings: Readonly<Record<string, unknown>>): Job {
  const definition = jobDefinitionSchema.parse({ operation: 'subclient.create', ...settings });
  return { name, definition };
}

export function inboxOf(jobs: readonly Job[], over: Partial<Inbox> = {}): Inbox {
  return { folder: '/in', isMain: true, jobs, ...over };
}

/** A home with files in its inbox, or in one elsewhere. */
export async function setUpInbox(files: Readonly<Record<string, string>>, under?: string) {
  const home = await ownFolder();
  const inbox = under === undefined ? join(home, 'inbox') : await ownFolder({}, under);
  await mkdir(inbox, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(inbox, path)), { recursive: true });
    await writeFile(join(inbox, path), text);
  }
  return { home, inbox };
}

export async function entryIn(inbox: string, path: string): Promise<Entry> {
  const entry = (await listEntries(inbox)).entries.find((one) => one.path === path);
  if (entry === undefined) throw new Error(`${path} is not in the inbox`);
  return entry;
}

export const CLAIM_ID = '20261121-100000-aaaa';

/** A claim of the file `a.csv`. */
export function newClaim(inbox: string, info: Partial<Claim['info']> = {}) {
  const known = { job: 'j', target: 't', ledger: 'l', path: 'a.csv', stamp: '', marker: null };
  return { id: CLAIM_ID, inbox, info: { ...known, claimedAt: '2026-11-21T10:00:00.000Z', ...info } };
}

/** A file of an inbox that is claimed, with its marker beside it where it has one. */
export async function claimed(path = 'a.csv', info: Partial<Claim['info']> = {}, under?: string) {
  const marker = info.marker ?? null;
  const beside = marker === null ? {} : { [join(dirname(path), marker)]: '' };
  const home = await setUpInbox({ [path]: 'text', ...beside }, under);
  return { ...home, claim: await claimIn(home.inbox, path, info) };
}

export async function claimIn(
  inbox: string,
  path: string,
  info: Partial<Claim['info']> = {},
): Promise<Claim> {
  const entry = await entryIn(inbox, path);
  const claim = await claimEntry(entry, newClaim(inbox, { path, stamp: entry.stamp, ...info }));
  if (claim === null) throw new Error('not claimed');
  return claim;
}

/** The claims in an inbox. */
export async function claimsIn(inbox: string): Promise<readonly Claim[]> {
  return (await listClaims(inbox)).claims;
}
