/**
 * Claims: the watcher takes a file out of its inbox by one rename into `.processing/<id>/` of the
 * inbox's own file system, where it is read; the id is that of the file's run. What the file was
 * called, its stamp and its job are on disk there before the file moves, so that the next watcher
 * of the home goes on with it, or puts it back, whenever this one is killed.
 */
import { lstat, mkdir, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { insteadOf } from '../../lib/errors.ts';
import { stampOf } from '../../lib/file-stamp.ts';
import { writeDurably } from '../../lib/make-folder.ts';
import { type Entry, entryProblem } from './entry.ts';
import {
  descend,
  inFolder,
  makeProcessing,
  moveToFreeName,
  NOT_THERE,
  PROCESSING,
  withinFolder,
  withinProcessing,
} from './shared-folder.ts';

const claimInfoSchema = z.object({
  job: z.string(),
  target: z.string(),
  ledger: z.string(),
  /** Relative to the inbox. */
  path: z.string().refine((path) => path.split('/').every(isPlainName)),
  /** ISO 8601, UTC. */
  claimedAt: z.string(),
  /** Taken when the file was found to be whole. */
  stamp: z.string(),
  marker: z.string().refine(isPlainName).nullable(),
  /** A new run even where the file was taken to its end before. */
  again: z.boolean().optional(),
  /** Who asked for it at the page. */
  by: z.string().optional(),
  /** That is a machine, and this who added it. */
  maker: z.string().optional(),
});
export type ClaimInfo = z.infer<typeof claimInfoSchema>;

function isPlainName(name: string): boolean {
  return name !== '' && name !== '.' && !name.includes('..') && !/[/\0]/.test(name);
}

type NewClaim = {
  readonly id: string;
  readonly inbox: string;
  readonly info: ClaimInfo;
};

export type Claim = ReturnType<typeof claimFor>;

// A delivered file's name never begins with a dot.
const INFO = '.claim.json';
const MARKER = '.marker';
/** Before the id of a claim that is not written yet: no file is in such a folder. */
const DRAFT = '.';

function claimFor({ id, inbox, info }: NewClaim) {
  const name = info.path.split('/').at(-1) ?? '';
  const folder = join(inbox, PROCESSING, id);
  return { id, inbox, info, name, folder, file: join(folder, name) };
}

/** `null`: the file is gone, or one of the folders on the way is. */
export async function claimEntry(entry: Entry, given: NewClaim): Promise<Claim | null> {
  const claim = claimFor(given);
  await makeProcessing(claim.inbox);
  try {
    await withinProcessing(claim.inbox, [], async (path) => {
      const draft = DRAFT + claim.id;
      await mkdir(inFolder(path, draft), { mode: 0o700 });
      const write = (to: Buffer) => writeDurably(inFolder(to, INFO), JSON.stringify(claim.info));
      await descend(path, [Buffer.from(draft)], write);
      await rename(inFolder(path, draft), inFolder(path, claim.id));
    });
    await withinFolder(claim.inbox, entry.parts, (from) =>
      withinClaim(claim, (to) => moveIn(entry.name, claim, { from, to })),
    );
    return claim;
  } catch (error) {
    await dropClaim(claim);
    return insteadOf(NOT_THERE, null)(error);
  }
}

type Move = { readonly from: Buffer; readonly to: Buffer };

/** The marker goes first: left behind, it would count for the next file of that name. */
async function moveIn(file: Buffer, { name, info: { marker } }: Claim, { from, to }: Move): Promise<void> {
  if (marker !== null) await rename(inFolder(from, marker), inFolder(to, MARKER));
  try {
    await rename(inFolder(from, file), inFolder(to, name));
  } catch (error) {
    if (marker !== null) await rename(inFolder(to, MARKER), inFolder(from, marker));
    throw error;
  }
}

export async function claimFolder(folder: string, given: NewClaim): Promise<void> {
  await makeProcessing(given.inbox);
  await writeDurably(join(folder, INFO), JSON.stringify(given.info), 'w');
  await withinProcessing(given.inbox, [], (path) => rename(folder, inFolder(path, given.id)));
}

export function withinClaim<T>(
  { inbox, id }: Pick<Claim, 'inbox' | 'id'>,
  work: (path: Buffer) => Promise<T>,
): Promise<T> {
  return withinProcessing(inbox, [Buffer.from(id)], work);
}

type Claims = {
  readonly claims: readonly Claim[];
  /** Folders of which nothing is known. */
  readonly strange: readonly string[];
};

export async function listClaims(inbox: string): Promise<Claims> {
  const found = await withinProcessing(inbox, [], async (path) => {
    const ids = await readdir(path);
    const infoOf = (id: string) => (id.startsWith(DRAFT) ? null : infoIn(path, id));
    return Promise.all(ids.map(async (id) => ({ id, info: await infoOf(id) })));
  }).catch(insteadOf('ENOENT', []));
  return {
    claims: found.flatMap(({ id, info }) => (info === null ? [] : [claimFor({ id, inbox, info })])),
    strange: found.flatMap(({ id, info }) => (info === null ? [join(inbox, PROCESSING, id)] : [])),
  };
}

/** Removes what a kill left of a claim that was begun or had ended; false: there is more in it. */
export async function removeLeft(folder: string): Promise<boolean> {
  if (basename(folder).startsWith(DRAFT))
    await rm(join(folder, INFO), { force: true }).catch(insteadOf('ENOTDIR', undefined));
  return rmdir(folder).then(() => true, insteadOf(['ENOENT', 'ENOTEMPTY', 'ENOTDIR'], false));
}

/** What has changed since may be gone in a moment, as what a file system keeps of an open file. */
const STANDS_MS = 60_000;

/** Whether a file of which nothing is known stays there; hidden ones are nobody's data. */
export async function holdsFile(folder: string, now: number): Promise<boolean> {
  const stats = await lstat(folder).catch(insteadOf('ENOENT', null));
  const names = await readdir(folder).catch(() => [basename(folder)]);
  const isStill = stats !== null && now - stats.ctimeMs >= STANDS_MS;
  return isStill && names.some((name) => !name.startsWith('.'));
}

async function infoIn(processing: Buffer, id: string): Promise<ClaimInfo | null> {
  try {
    const read = (path: Buffer) => readFile(inFolder(path, INFO), 'utf8');
    return claimInfoSchema.parse(JSON.parse(await descend(processing, [Buffer.from(id)], read)));
  } catch {
    return null;
  }
}

/** '': it is no plain file; `null`: it is gone. */
export async function claimedStamp(claim: Claim): Promise<string | null> {
  return withinClaim(claim, async (path) => {
    const stats = await lstat(inFolder(path, claim.name), { bigint: true });
    const kind = stats.isFile() ? 'file' : 'other';
    const problem = entryProblem({ name: Buffer.from(claim.name), kind, links: Number(stats.nlink) });
    return problem === null ? stampOf(stats) : '';
  }).catch(insteadOf(NOT_THERE, null));
}

/** With its marker; false: the folder is gone, or the name taken. */
export async function returnFile(claim: Claim): Promise<boolean> {
  const isBack = await inItsPlace(claim, ({ from, to }, name) =>
    moveToFreeName(inFolder(from, claim.name), inFolder(to, name)),
  );
  if (isBack && claim.info.marker !== null) await inItsPlace(claim, (move) => moveMarker(claim, move));
  return isBack;
}

/** For a file that was never moved: only its marker goes back. */
export function undoClaim(claim: Claim): Promise<boolean> {
  return inItsPlace(claim, async (move, name) => {
    const found = stampOf(await lstat(inFolder(move.to, name), { bigint: true }));
    if (found !== claim.info.stamp) return false;
    await moveMarker(claim, move);
    return true;
  });
}

async function moveMarker({ info: { marker } }: Claim, { from, to }: Move): Promise<boolean> {
  if (marker === null) return true;
  const move = rename(inFolder(from, MARKER), inFolder(to, marker));
  return move.then(() => true, insteadOf('ENOENT', false));
}

/** False: something on the way to where the file came from is gone. */
function inItsPlace(claim: Claim, work: (move: Move, name: Buffer) => Promise<boolean>): Promise<boolean> {
  const names = claim.info.path.split('/').map((name) => Buffer.from(name));
  const name = names.at(-1) ?? Buffer.from('');
  return withinFolder(claim.inbox, names.slice(0, -1), (to) =>
    withinClaim(claim, (from) => work({ from, to }, name)),
  ).catch(insteadOf(NOT_THERE, false));
}

/** Never removes a file: while that is there, its claim stays. */
export async function dropClaim(claim: Claim): Promise<void> {
  await withinClaim(claim, async (path) => {
    const names = await readdir(path);
    if (names.includes(claim.name)) return;
    // Its information last: without it nobody knows what is left.
    const others = names.filter((name) => name !== INFO);
    for (const name of [...others, INFO]) await rm(inFolder(path, name), { force: true });
  }).catch(insteadOf(NOT_THERE, undefined));
  await rmdir(claim.folder).catch(insteadOf(['ENOENT', 'ENOTEMPTY'], undefined));
}
