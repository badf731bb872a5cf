import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NewClaim } from '../../src/inbox/claim.ts';
import type { Entry } from '../../src/inbox/entry.ts';
import { listEntries } from '../../src/inbox/list-entries.ts';
import { ownFolder } from './entries.ts';

/** Another file system than that of temporary files, where the machine has one. */
export const ELSEWHERE = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** An inbox with files, and a folder for claims. */
export async function setUpInbox(files: Readonly<Record<string, string>>, under?: string) {
  const inbox = await ownFolder(under);
  const base = join(await ownFolder(), 'processing');
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(inbox, path, '..'), { recursive: true });
    await writeFile(join(inbox, path), text);
  }
  return { inbox, base };
}

export async function entryIn(inbox: string, path: string): Promise<Entry> {
  const entry = (await listEntries(inbox)).entries.find((one) => one.path === path);
  if (entry === undefined) throw new Error(`${path} is not in the inbox`);
  return entry;
}

export function newClaim(inbox: string, base: string, entry: Entry, over: Partial<NewClaim> = {}): NewClaim {
  const { path, stamp } = entry;
  const claimedAt = '2026-11-21T10:00:00.000Z';
  const info = { job: 'j', target: 't', inbox, path, claimedAt, stamp, marker: null, isAbroad: false };
  return { base, id: '20261121-100000-aaaa', member: 'member-1', info, ...over };
}
