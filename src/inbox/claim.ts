/**
 * Claims: a watcher takes a file out of its inbox by one rename, so of several watchers one gets it. What is known of
 * the claim is on the disk before the file is moved, in a folder of its own in ONBOARD_HOME/processing: after a kill
 * at any moment whoever comes next finds the file and knows where it came from, or puts it back. The name of a
 * claim's information file says which process owns it: to rename that file is to take the claim over, and to touch it
 * is to show that the owner lives.
 */
import {
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  rmdir,
  stat,
  unlink,
  utimes,
} from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { errorCode, insteadOf } from '../lib/errors.ts';
import { stampOf } from '../lib/file-stamp.ts';
import { makeFolder } from '../lib/make-folder.ts';
import { type Entry, entryProblem } from './entry.ts';
import {
  inFolder,
  moveToFreeName,
  NOT_THERE,
  openItself,
  readRegular,
  withinFolder,
  withinTakenFolder,
} from './shared-folder.ts';

const relativePath = z.string().refine((path) => path.split('/').every(isPlainName));

/** What a claim's information file holds. */
const claimInfoSchema = z
  .object({
    job: z.string(),
    /** The service's address that the file is for. */
    target: z.string(),
    inbox: z.string(),
    /** Relative to the inbox. */
    path: relativePath,
    /** ISO 8601, UTC. */
    claimedAt: z.string(),
    /** The stamp of the file when it was found to be whole. */
    stamp: z.string(),
    /** The name of its marker file. */
    marker: z.string().refine(isPlainName).nullable(),
    /** `isOnOtherFileSystem`, by the name that it has on the disk: claims of earlier versions lie there. */
    isAbroad: z.boolean(),
    /** A new run also where the file was taken to its end before. */
    again: z.boolean().optional(),
    /** It came by the page: no inbox ever had it, so that none gets it back. */
    isUpload: z.boolean().optional(),
  })
  .transform(({ isAbroad, ...info }) => ({
    ...info,
    /** Whether the inbox is on another file system than ONBOARD_HOME: its file stays there until the run is over. */
    isOnOtherFileSystem: isAbroad,
  }));
export type ClaimInfo = z.infer<typeof claimInfoSchema>;

function isPlainName(name: string): boolean {
  return name !== '' && name !== '.' && !name.includes('..') && !/[/\0]/.test(name);
}

/** The text of a claim's information file. */
function claimText({ isOnOtherFileSystem, ...info }: ClaimInfo): string {
  return JSON.stringify({ ...info, isAbroad: isOnOtherFileSystem });
}

function parseClaim(text: string): ClaimInfo | null {
  try {
    return claimInfoSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** A file that a watcher has taken out of an inbox; only its owner works on it. */
export type Claim = {
  readonly id: string;
  readonly folder: string;
  /** Where the file is, or will be once it is copied from another file system. */
  readonly file: string;
  readonly name: string;
  /** The process that owns the claim. */
  readonly member: string;
  readonly info: ClaimInfo;
  /** The stamp of the file on the other file system that `file` is a copy of; `null`: it is no copy, or not yet. */
  readonly copied: string | null;
};

// These lie in a claim's folder beside the file: a name that begins with a dot is never a delivered file's.
const MARKER_NAME = '.marker';
/** The stamp of the file that the claim's file is a copy of. */
export const COPIED_NAME = '.copied';
const INFO_NAME = /^\.claim\.(.+)\.json$/;

/** The name of the file that says whose the claim is. */
function infoName(member: string): string {
  return `.claim.${member}.json`;
}

type NewClaim = {
  /** The folder of claims, in ONBOARD_HOME. */
  readonly base: string;
  readonly id: string;
  readonly member: string;
  readonly info: ClaimInfo;
};

/**
 * Takes a file out of its inbox by one rename: of several watchers one gets it, `null` for the
 * others. Throws EXDEV where the inbox is on another file system than `base` and the claim is not
 * for that; the file is where it was then.
 */
export async function claimEntry(entry: Entry, given: NewClaim): Promise<Claim | null> {
  const { inbox, marker } = given.info;
  const claim = await makeClaimFolder(entry.name.toString('utf8'), given);
  try {
    await withinFolder(inbox, entry.parts, (path) =>
      withFiles(claim, given.info, (files) =>
        moveIn(inFolder(path, entry.name), marker === null ? null : inFolder(path, marker), files),
      ),
    );
    return claim;
  } catch (error) {
    await rm(claim.folder, { recursive: true, force: true });
    return insteadOf(NOT_THERE, null)(error);
  }
}

/**
 * Makes a file of this file system, which nobody else works on, a claim of this process: at its next look the watcher finds it as one that was
 * left. No look finds what begins with a dot.
 */
export async function handIn(path: string, name: string, given: NewClaim): Promise<void> {
  const draft = await makeClaimFolder(name, { ...given, id: `.${given.id}` });
  await rename(path, draft.file);
  await rename(draft.folder, join(given.base, given.id));
}

/** Makes claims of what a kill left of hand-ins. One without a file goes the way of all such claims: its file is where it was. */
export async function finishHandIns(base: string): Promise<void> {
  const begun = (await namesIn(base)).filter((name) => /^\.\d{8}-/.test(name));
  for (const name of begun) await rename(join(base, name), join(base, name.slice(1)));
}

/** The claim's folder with what is known of it, durable before anything is moved. */
async function makeClaimFolder(name: string, { base, id, member, info }: NewClaim): Promise<Claim> {
  const folder = join(base, id);
  await makeFolder(base);
  await mkdir(folder, { mode: 0o700 });
  await writeDurably(join(folder, infoName(member)), claimText(info));
  return { id, folder, file: join(folder, name), name, member, info, copied: null };
}

/** Writes a new file, on the disk when this is over. */
export async function writeDurably(path: string, text: string, flags = 'wx'): Promise<void> {
  const handle = await open(path, flags, 0o600);
  try {
    await handle.writeFile(text);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

/** Where the file and the marker of a claim are. */
type ClaimFiles = { readonly file: Buffer | string; readonly marker: Buffer | string };

/** Calls `work` with these two: in the claim's folder, or, on another file system, in the inbox under the claim's id. */
function withFiles<T>(
  { id, folder, name }: Pick<FoundClaim, 'id' | 'folder' | 'name'>,
  { isOnOtherFileSystem, inbox }: ClaimInfo,
  work: (files: ClaimFiles) => Promise<T>,
): Promise<T> {
  if (!isOnOtherFileSystem)
    return work({ file: join(folder, name ?? ''), marker: join(folder, MARKER_NAME) });
  return withinTakenFolder(inbox, (path) =>
    work({ file: inFolder(path, id), marker: inFolder(path, takenMarker(id)) }),
  );
}

/** The name of a claim's marker on the other file system. */
export function takenMarker(id: string): string {
  return `${id}.marker`;
}

/** Moves the marker first: a marker left behind would speak for the next file of that name. */
async function moveIn(file: Buffer, marker: Buffer | null, to: ClaimFiles): Promise<void> {
  if (marker !== null) await rename(marker, to.marker);
  try {
    await rename(file, to.file);
  } catch (error) {
    if (marker !== null) await rename(to.marker, marker);
    throw error;
  }
}

/** A claim as it lies in the folder of claims. */
export type FoundClaim = {
  readonly id: string;
  readonly folder: string;
  readonly member: string;
  /** Changes whenever its owner shows that it is alive. */
  readonly beat: number;
  /** `null`: its owner was killed before the file was moved, or what was written down can't be read. */
  readonly info: ClaimInfo | null;
  /** The name of the file; `null`: it is not here. */
  readonly name: string | null;
  /** As in `Claim`. */
  readonly copied: string | null;
};

/** The claims of all watchers in a folder; none where there is no such folder. A claim that can't be read is passed over. */
export async function listClaims(
  base: string,
  onTrouble: (id: string, error: unknown) => void = () => undefined,
): Promise<FoundClaim[]> {
  const ids = (await namesIn(base)).filter((id) => !id.startsWith('.'));
  const found = await Promise.all(
    ids.map((id) =>
      findClaim(base, id).catch((error: unknown) => {
        onTrouble(id, error);
        return null;
      }),
    ),
  );
  return found.filter((claim) => claim !== null);
}

/** `null`: there is no such claim, or not any more. */
async function findClaim(base: string, id: string): Promise<FoundClaim | null> {
  const folder = join(base, id);
  const names = await namesIn(folder);
  const infoFile = names.find((name) => INFO_NAME.test(name));
  if (infoFile === undefined) return null;
  try {
    const read = await readRegular(join(folder, infoFile));
    const copied = names.includes(COPIED_NAME) ? await readRegular(join(folder, COPIED_NAME)) : null;
    const name = names.find((one) => !one.startsWith('.')) ?? null;
    return {
      id,
      folder,
      member: INFO_NAME.exec(infoFile)?.[1] ?? '',
      beat: read?.mtimeMs ?? 0,
      info: read === null ? null : parseClaim(read.text),
      name,
      // Written before the copy gets its name.
      copied: name === null ? null : (copied?.text ?? null),
    };
  } catch (error) {
    return insteadOf('ENOENT', null)(error);
  }
}

function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(insteadOf(['ENOENT', 'ENOTDIR'], []));
}

/** The claim that was found; `null`: nothing is known of it, or its file is neither here nor on another file system. */
export function claimOf({ id, folder, member, info, name, copied }: FoundClaim): Claim | null {
  if (info === null || (name === null && !info.isOnOtherFileSystem)) return null;
  const called = name ?? info.path.split('/').at(-1) ?? '';
  return { id, folder, file: join(folder, called), name: called, member, info, copied };
}

/** Takes a claim over from a watcher that is gone; `null`: another watcher was faster. */
export async function takeOver(found: FoundClaim, member: string): Promise<FoundClaim | null> {
  const { folder } = found;
  return rename(join(folder, infoName(found.member)), join(folder, infoName(member))).then(
    () => ({ ...found, member }),
    insteadOf('ENOENT', null),
  );
}

/** Shows the other watchers that this claim's owner is alive; false: it is not this member's any more. */
export async function beat({ folder, member }: Claim): Promise<boolean> {
  const now = new Date();
  return utimes(join(folder, infoName(member)), now, now).then(() => true, insteadOf('ENOENT', false));
}

/** A claimed file that is open for reading and its stamp, or why it is not to be read. */
export type Opened =
  | { readonly kind: 'open'; readonly handle: FileHandle; readonly stamp: string }
  | { readonly kind: 'refused'; readonly why: string };

const SWAPPED = 'another file was put in its place while it was taken';

/**
 * Opens a claimed file without following a link or waiting for a pipe, and makes sure by the descriptor that it is the one that
 * lies at that name: a regular file with no other name. The caller closes it.
 */
export async function openClaimed(path: Buffer | string): Promise<Opened> {
  const named = await lstat(path, { bigint: true });
  const handle = await openItself(path).catch(whyNot);
  if (typeof handle === 'string') return { kind: 'refused', why: handle };
  const stats = await handle.stat({ bigint: true });
  const isSame = stats.dev === named.dev && stats.ino === named.ino;
  const kind = stats.isFile() ? 'file' : 'other';
  const why = entryProblem({ name: Buffer.from('a'), kind, links: Number(stats.nlink) });
  if (why === null && isSame) return { kind: 'open', handle, stamp: stampOf(stats) };
  await handle.close();
  return { kind: 'refused', why: why ?? SWAPPED };
}

/** Why the file can't be opened, in words for its sender; other trouble is the machine's and thrown. */
function whyNot(error: unknown): string {
  switch (errorCode(error)) {
    case 'ELOOP':
    case 'EMLINK':
      return 'it is a symbolic link, and links are not followed';
    case 'ENXIO':
    case 'EISDIR':
      return 'it is no regular file';
    case 'EACCES':
      return 'this program may not read it: expected read permission for the user it runs as';
    default:
      throw error;
  }
}

/**
 * Undoes a claim whose file never came into it: a marker goes back beside its file. Where a file is there of which nothing is
 * written down, it goes back to `inbox`; false: it can't, since another one has its name, and stays.
 */
export async function giveBack(
  found: Pick<FoundClaim, 'id' | 'folder' | 'info' | 'name'>,
  inbox: string,
): Promise<boolean> {
  const { info, name } = found;
  if (info !== null) await withFiles(found, info, ({ marker }) => putMarkerBack(marker, info));
  if (name !== null && info === null) {
    await makeFolder(inbox);
    if (!(await moveToFreeName(join(found.folder, name), join(inbox, name)))) return false;
  }
  await dropClaim(found);
  return true;
}

/**
 * Puts the file of a claim back to where it was, its marker after it; false: it can't, since its folder is gone or another
 * one has its name by now.
 */
export async function returnFile(claim: Claim): Promise<boolean> {
  const { info } = claim;
  return withFiles(claim, info, async ({ file, marker }) => {
    const { parts, name } = pathOf(info);
    const isBack = await withinFolder(info.inbox, parts, (path) =>
      moveToFreeName(file, inFolder(path, name)),
    ).catch(insteadOf(NOT_THERE, false));
    if (isBack) await putMarkerBack(marker, info);
    return isBack;
  });
}

/** Puts a marker back only beside the file that it was for: it would speak for another file of that name. */
async function putMarkerBack(from: Buffer | string, info: ClaimInfo): Promise<void> {
  const { marker, stamp } = info;
  const { parts, name } = pathOf(info);
  if (marker === null) return;
  const isBack = await withinFolder(info.inbox, parts, async (path) => {
    if (stampOf(await lstat(inFolder(path, name), { bigint: true })) !== stamp) return false;
    await rename(from, inFolder(path, marker));
    return true;
  }).catch(insteadOf(NOT_THERE, false));
  if (!isBack) await unlink(from).catch(insteadOf(NOT_THERE, undefined));
}

function pathOf({ path }: ClaimInfo): { readonly parts: readonly Buffer[]; readonly name: Buffer } {
  const names = path.split('/').map((name) => Buffer.from(name));
  return { parts: names.slice(0, -1), name: names.at(-1) ?? Buffer.from('') };
}

/** Removes a claim with all that is in its folder. */
export async function dropClaim({ folder }: Pick<Claim, 'folder'>): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

const EMPTY_MS = 60_000;

/** Removes folders of claims that a watcher had just begun when it was killed; a living one fills such a folder at once. */
export async function removeEmptyClaims(base: string, now: Date): Promise<void> {
  for (const id of await namesIn(base)) {
    const folder = join(base, id);
    const stats = await stat(folder).catch(() => null);
    if (stats !== null && now.getTime() - stats.mtimeMs > EMPTY_MS)
      await rmdir(folder).catch(() => undefined);
  }
}
