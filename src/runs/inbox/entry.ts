/**
 * The entries of an inbox as a look at its folder found them; nothing is opened or followed. What
 * name and kind alone decide: whether an entry is never taken, or refused.
 */
import { constants } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { errorCode, hasCode, insteadOf } from '../../lib/errors.ts';
import { stampOf } from '../../lib/file-stamp.ts';
import { shorten } from '../../lib/terminal.ts';
import { dataEnding } from '../../model/file-format.ts';
import { descend, inFolder, NOT_THERE, withinFolder } from './shared-folder.ts';

export type Entry = {
  readonly parts: readonly Buffer[];
  readonly name: Buffer;
  /** Relative to the inbox, with `/`, for people and patterns; invalid UTF-8 shows as U+FFFD. */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly links: number;
  readonly stamp: string;
  /** Last change of content, name, owner or rights, ms. */
  readonly changedMs: number;
  /** Last change of content, ms, as far as known: who sends a file may set its time. */
  readonly writtenMs: number;
};

type Found = { readonly entries: Entry[]; readonly problems: string[] };

/** Sorted by path; of what is hidden only files that are passed over. Links are never followed. */
export async function listEntries(root: string): Promise<Found> {
  const found: Found = { entries: [], problems: [] };
  await withinFolder(root, [], (path) => list(path, [], found));
  found.entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  return found;
}

async function list(folder: Buffer, parts: readonly Buffer[], found: Found): Promise<void> {
  const names = await readdir(folder, { encoding: 'buffer' });
  const shown = names.filter((name) => !isHidden(name) || passedOverBy(name.toString('utf8')).length > 0);
  const entries = await Promise.all(shown.map((name) => entryOf(folder, parts, name)));
  for (const entry of entries) {
    if (entry === null || (isHidden(entry.name) && entry.kind !== 'file')) continue;
    if (isSubFolder(entry)) await listBelow(folder, entry, found);
    else found.entries.push(entry);
  }
}

const DOT = '.'.charCodeAt(0);

export function isHidden(name: Buffer): boolean {
  return name[0] === DOT;
}

function isSubFolder({ kind, name }: Entry): boolean {
  // A folder with a file's ending was meant to be a file.
  const isFolder = kind === 'folder' && dataEnding(name.toString('utf8')) === '';
  return isFolder && nameProblem(name) === null;
}

/** Each folder on the way down is held open. */
const MOST_DEPTH = 32;
const TOO_DEEP = `more than ${MOST_DEPTH} folders lie in each other: expected fewer; these are not looked into`;

async function listBelow(folder: Buffer, { name, parts, path }: Entry, found: Found): Promise<void> {
  if (parts.length >= MOST_DEPTH) {
    const isTold = found.problems.some((problem) => problem.endsWith(TOO_DEEP));
    if (!isTold) found.problems.push(`${shorten(path, 200)}: ${TOO_DEEP}`);
    return;
  }
  try {
    await descend(folder, [name], (below) => list(below, [...parts, name], found));
  } catch (error) {
    if (hasCode(error, ...NOT_THERE)) return;
    found.problems.push(`${path}: the folder can't be looked into (${errorCode(error) || String(error)})`);
  }
}

const KINDS: ReadonlyMap<number, Entry['kind']> = new Map([
  [constants.S_IFREG, 'file'],
  [constants.S_IFDIR, 'folder'],
  [constants.S_IFLNK, 'link'],
]);

async function entryOf(folder: Buffer, parts: readonly Buffer[], name: Buffer): Promise<Entry | null> {
  const stats = await lstat(inFolder(folder, name), { bigint: true }).catch(insteadOf('ENOENT', null));
  if (stats === null) return null;
  return {
    parts,
    name,
    path: [...parts, name].map((part) => part.toString('utf8')).join('/'),
    kind: KINDS.get(Number(stats.mode) & constants.S_IFMT) ?? 'other',
    links: Number(stats.nlink),
    stamp: stampOf(stats),
    changedMs: Number(stats.ctimeMs),
    writtenMs: Math.min(Number(stats.mtimeMs), Number(stats.ctimeMs)),
  };
}

export const NOTE_ENDING = '.note.txt';

/** As senders are told to call a file that is not whole yet: never taken. */
const UNFINISHED = /(\.(part|tmp|filepart|crdownload)|~)$/i;

/** Of a file on its way; some senders' whole files end so, too. */
const HALF = /\.(partial|incomplete|inprogress|uploading|download|in|!sync)$/i;

const PASSED_OVER: readonly RegExp[] = [
  HALF,
  /\.(bak|lftp-pget-status)$/i,
  /^(~\$|\.~lock)/,
  /^(thumbs\.db|desktop\.ini)$/i,
  // rsync writes `.<name>.XXXXXX`.
  /^\..+\.[a-z0-9]{6}$/i,
];

/** By which rules a file is passed over; a job's pattern that falls under them takes it. */
export function passedOverBy(path: string): readonly RegExp[] {
  return PASSED_OVER.filter((rule) => rule.test(basename(path)));
}

/** Unfinished uploads, hidden files, notes and marker files. */
export function isNeverTaken(name: string, markers: readonly string[]): boolean {
  const lower = name.toLowerCase();
  if (name.startsWith('.') || UNFINISHED.test(name)) return true;
  return [NOTE_ENDING, ...markers].some((ending) => lower.endsWith(ending.toLowerCase()));
}

export function nameWhenWhole(name: string): string {
  return name.replace(UNFINISHED.test(name) ? UNFINISHED : HALF, '');
}

/** In words for its sender; `null`: it is a proper file. */
export function entryProblem(entry: Pick<Entry, 'name' | 'kind' | 'links'>): string | null {
  switch (entry.kind) {
    case 'link':
      return 'it is a symbolic link, and links are not followed';
    case 'folder':
      return nameProblem(entry.name) ?? 'it is a folder, though it is called like a file';
    case 'other':
      return 'it is no regular file (a pipe, a device or a socket)';
    case 'file':
      if (entry.links > 1) return 'it is a hard link: the same file has another name elsewhere';
      return nameProblem(entry.name);
    default:
      return entry.kind satisfies never;
  }
}

const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

function nameProblem(name: Buffer): string | null {
  const text = name.toString('utf8');
  if (!Buffer.from(text, 'utf8').equals(name)) return 'its name is not valid UTF-8';
  if (UNSAFE.test(text)) return 'its name has control characters in it';
  return text.includes('..') ? 'its name has ".." in it' : null;
}
