import { constants } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { errorCode } from '../lib/errors.ts';
import { stampOf } from '../lib/file-stamp.ts';
import { type Entry, isDataName, nameProblem } from './entry.ts';
import { descend, inFolder, withinFolder } from './within-folder.ts';

/** What lies in an inbox, its sub-folders, relative to it, and which of them could not be looked into. */
export type Listing = {
  readonly entries: readonly Entry[];
  readonly folders: readonly string[];
  readonly problems: readonly string[];
};

type Found = { readonly entries: Entry[]; readonly folders: string[]; readonly problems: string[] };

const DOT = '.'.charCodeAt(0);

/** Looks through an inbox and its sub-folders, sorted by path; hidden entries are passed over, links never followed. */
export async function listEntries(root: string): Promise<Listing> {
  const found: Found = { entries: [], folders: [], problems: [] };
  await withinFolder(root, [], (path) => look(path, [], found));
  found.entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  return found;
}

async function look(folder: Buffer, parts: readonly Buffer[], found: Found): Promise<void> {
  const names = await readdir(folder, { encoding: 'buffer' });
  const shown = names.filter((name) => name[0] !== DOT);
  const entries = await Promise.all(shown.map((name) => entryOf(folder, parts, name)));
  for (const entry of entries) {
    if (entry === null) continue;
    if (isSubFolder(entry)) await lookBelow(folder, entry, found);
    else found.entries.push(entry);
  }
}

function isSubFolder({ kind, name }: Entry): boolean {
  return kind === 'folder' && !isDataName(name.toString('utf8')) && nameProblem(name) === null;
}

async function lookBelow(folder: Buffer, { name, parts, path }: Entry, found: Found): Promise<void> {
  found.folders.push(path);
  try {
    await descend(folder, [name], (below) => look(below, [...parts, name], found));
  } catch (error) {
    // Gone, or another thing by now: the next look sees what it is.
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errorCode(error))) return;
    found.problems.push(`${path}: the folder can't be looked into (${errorCode(error) || String(error)})`);
  }
}

async function entryOf(folder: Buffer, parts: readonly Buffer[], name: Buffer): Promise<Entry | null> {
  try {
    const stats = await lstat(inFolder(folder, name), { bigint: true });
    return {
      parts,
      name,
      path: [...parts, name].map((part) => part.toString('utf8')).join('/'),
      kind: KINDS.get(Number(stats.mode) & constants.S_IFMT) ?? 'other',
      links: Number(stats.nlink),
      stamp: stampOf(stats),
      changedMs: Number(stats.ctimeMs),
    };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

const KINDS: ReadonlyMap<number, Entry['kind']> = new Map([
  [constants.S_IFREG, 'file'],
  [constants.S_IFDIR, 'folder'],
  [constants.S_IFLNK, 'link'],
]);
