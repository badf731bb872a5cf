/**
 * Claims: a watcher takes a file out of its inbox by one rename, so only one of several gets it.
 * The claim is on disk in ONBOARD_HOME/processing before the file moves: after a kill the next
 * process finds the file and where it came from, or puts it back. The information file's name holds
 * the owner: renaming it takes the claim over, touching it shows that the owner lives.
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

const claimInfoSchema = z
  .object({
    job: z.string(),
    target: z.string(),
    inbox: z.string(),
    /** Relative to the inbox. */
    path: relativePath,
    /** ISO 8601, UTC. */
    claimedAt: z.string(),
    /** Taken when the file was found to be whole. */
    stamp: z.string(),
    marker: z.string().refine(isPlainName).nullable(),
    /** Name of `isOnOtherFileSystem` on disk. */
    isAbroad: z.boolean(),
    /** A new run even where the file was taken to its end before. */
    again: z.boolean().optional(),
    /** It came by the page: no inbox gets it back. */
    isUpload: z.boolean().optional(),
  })
  .transform(({ isAbroad, ...info }) => ({
    ...info,
    /** On another file system than ONBOARD_HOME: the file stays there during the run. */
    isOnOtherFileSystem: isAbroad,
  }));
export type ClaimInfo = z.infer<typeof claimInfoSchema>;

function isPlainName(name: string): boolean {
  return name !== '' && name !== '.' && !name.includes('..') && !/[/\0]/.test(name);
}

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

/** A file taken out of an inbox; only its owner works on it. */
export type Claim = {
  readonly id: string;
  readonly folder: string;
  /** Where the file is, or will be once it is copied from another file system. */
  readonly file: string;
  readonly name: string;
  readonly member: string;
  readonly info: ClaimInfo;
  /** Stamp of the original that `file` is a copy of; `null`: no copy, or not yet. */
  readonly copied: string | null;
};

// A delivered file's name never begins with a dot.
const MARKER_NAME = '.marker';
/** Stamp of the original of the claim's file. */
export const COPIED_NAME = '.copied';
const INFO_NAME = /^\.claim\.(.+)\.json$/;

function infoName(member: string): string {
  return `.claim.${member}.json`;
}

type NewClaim = {
  readonly base: string;
  readonly id: string;
  readonly member: string;
  readonly info: ClaimInfo;
};

/**
 * Takes a file out of its inbox by one rename: only one of several watchers gets it, the others
 * `null`. Throws EXDEV, with the file where it was, for another file system than `base` that the
 * claim is not for.
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
 * Makes a file of this file system, which nobody else works on, a claim of this process that the
 * watcher's next look finds as a left one. Looks pass over names with a dot.
 */
export async function handIn(path: string, name: string, given: NewClaim): Promise<void> {
  const draft = await makeClaimFolder(name, { ...given, id: `.${given.id}` });
  await rename(path, draft.file);
  await rename(draft.folder, join(given.base, given.id));
}

/** Completes interrupted hand-ins. One without a file is dropped: its file is where it was. */
export async function finishHandIns(base: string): Promise<void> {
  const begun = (await namesIn(base)).filter((name) => /^\.\d{8}-/.test(name));
  for (const name of begun) await rename(join(base, name), join(base, name.slice(1)));
}

/** Durable before anything is moved. */
async function makeClaimFolder(name: string, { base, id, member, info }: NewClaim): Promise<Claim> {
  const folder = join(base, id);
  await makeFolder(base);
  await mkdir(folder, { mode: 0o700 });
  await writeDurably(join(folder, infoName(member)), claimText(info));
  return { id, folder, file: join(folder, name), name, member, info, copied: null };
}

/** A new file, on disk when this resolves. */
export async function writeDurably(path: string, text: string, flags = 'wx'): Promise<void> {
  const handle = await open(path, flags, 0o600);
  try {
    await handle.writeFile(text);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

type ClaimFiles = { readonly file: Buffer | string; readonly marker: Buffer | string };

/** In the claim's folder, or on another file system in the inbox, under the claim's id. */
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

/** Name of a claim's marker on the other file system. */
export function takenMarker(id: string): string {
  return `${id}.marker`;
}

/** The marker goes first: left behind, it would count for the next file of that name. */
async function moveIn(file: Buffer, marker: Buffer | null, to: ClaimFiles): Promise<void> {
  if (marker !== null) await rename(marker, to.marker);
  try {
    await rename(file, to.file);
  } catch (error) {
    if (marker !== null) await rename(to.marker, marker);
    throw error;
  }
}

export type FoundClaim = {
  readonly id: string;
  readonly folder: string;
  readonly member: string;
  /** Changes whenever its owner shows that it lives. */
  readonly beat: number;
  /** `null`: its owner died before the file moved, or the information can't be read. */
  readonly info: ClaimInfo | null;
  /** Name of the file; `null`: it is not here. */
  readonly name: string | null;
  readonly copied: string | null;
};

/** All watchers' claims; none without the folder. Unreadable claims are passed over. */
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

/** `null`: nothing is known of it, or its file is neither here nor on another file system. */
export function claimOf({ id, folder, member, info, name, copied }: FoundClaim): Claim | null {
  if (info === null || (name === null && !info.isOnOtherFileSystem)) return null;
  const called = name ?? info.path.split('/').at(-1) ?? '';
  return { id, folder, file: join(folder, called), name: called, member, info, copied };
}

/** Takes a gone watcher's claim over; `null`: another watcher was faster. */
export async function takeOver(found: FoundClaim, member: string): Promise<FoundClaim | null> {
  const { folder } = found;
  return rename(join(folder, infoName(found.member)), join(folder, infoName(member))).then(
    () => ({ ...found, member }),
    insteadOf('ENOENT', null),
  );
}

/** Shows that the claim's owner lives; false: the claim is another's now. */
export async function beat({ folder, member }: Claim): Promise<boolean> {
  const now = new Date();
  return utimes(join(folder, infoName(member)), now, now).then(() => true, insteadOf('ENOENT', false));
}

export type Opened =
  | { readonly kind: 'open'; readonly handle: FileHandle; readonly stamp: string }
  | { readonly kind: 'refused'; readonly why: string };

const SWAPPED = 'another file was put in its place while it was taken';

/**
 * Opens a claimed file without following a link or waiting for a pipe; by its descriptor it must be
 * the file of that name, a regular one with no other name. The caller closes it.
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

/** Words for the sender; trouble of the machine is thrown. */
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
 * Undoes a claim whose file never came into it: the marker goes back beside its file. A file
 * without information goes back to `inbox`; false: its name is taken there, so it stays.
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

/** Puts a claim's file and then its marker back; false: the folder is gone, or the name taken. */
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

/** Only beside its own file: it would count for another file of that name. */
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

export async function dropClaim({ folder }: Pick<Claim, 'folder'>): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

const EMPTY_MS = 60_000;

/** Left by watchers that were killed at the start of a claim; a living one fills it at once. */
export async function removeEmptyClaims(base: string, now: Date): Promise<void> {
  for (const id of await namesIn(base)) {
    const folder = join(base, id);
    const stats = await stat(folder).catch(() => null);
    if (stats !== null && now.getTime() - stats.mtimeMs > EMPTY_MS)
      await rmdir(folder).catch(() => undefined);
  }
}
