import { link, lstat, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../lib/errors.ts';
import { stampOf } from '../lib/file-stamp.ts';
import { makeFolder } from '../lib/make-folder.ts';
import { markerAbroad, withinAbroad } from './abroad.ts';
import { type Claim, type ClaimInfo, MARKER_NAME } from './claim.ts';
import { dropClaim, type FoundClaim } from './claims.ts';
import { inFolder, withinFolder } from './within-folder.ts';

/**
 * Undoes a claim whose file never became its: a marker goes back beside its file. Where a file is there of which nothing is
 * written down, it goes back to `inbox`; false: it can't, since another one has its name, and stays.
 */
export async function giveBack(
  found: Pick<FoundClaim, 'id' | 'folder' | 'info' | 'name'>,
  inbox: string,
): Promise<boolean> {
  const { info, name } = found;
  if (info !== null) await withPlaces(found, info, ({ marker }) => putMarkerBack(marker, info));
  if (name !== null && info === null) {
    await makeFolder(inbox);
    if (!(await moveNew(join(found.folder, name), join(inbox, name)))) return false;
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
  return withPlaces(claim, info, async ({ file, marker }) => {
    const { parts, name } = pathOf(info);
    const isBack = await withinFolder(info.inbox, parts, (path) => moveNew(file, inFolder(path, name))).catch(
      falseWhereGone,
    );
    if (isBack) await putMarkerBack(marker, info);
    return isBack;
  });
}

type Places = { readonly file: Buffer | string; readonly marker: Buffer | string };

/** Hands on where the file and the marker of a claim are. */
function withPlaces<T>(
  { id, folder, name }: Pick<FoundClaim, 'id' | 'folder' | 'name'>,
  { isAbroad, inbox }: ClaimInfo,
  work: (places: Places) => Promise<T>,
): Promise<T> {
  if (!isAbroad) return work({ file: join(folder, name ?? ''), marker: join(folder, MARKER_NAME) });
  return withinAbroad(inbox, (path) =>
    work({ file: inFolder(path, id), marker: inFolder(path, markerAbroad(id)) }),
  );
}

/** Only beside the file that it was for: it would speak for another one of that name. */
async function putMarkerBack(from: Buffer | string, info: ClaimInfo): Promise<void> {
  const { marker, stamp } = info;
  const { parts, name } = pathOf(info);
  if (marker === null) return;
  const isBack = await withinFolder(info.inbox, parts, async (path) => {
    if (stampOf(await lstat(inFolder(path, name), { bigint: true })) !== stamp) return false;
    await rename(from, inFolder(path, marker));
    return true;
  }).catch(falseWhereGone);
  if (!isBack) await unlink(from).catch(falseWhereGone);
}

function pathOf({ path }: ClaimInfo): { readonly parts: readonly Buffer[]; readonly name: Buffer } {
  const names = path.split('/').map((name) => Buffer.from(name));
  return { parts: names.slice(0, -1), name: names.at(-1) ?? Buffer.from('') };
}

/** Moves a file to a name that nobody has; false: somebody has it. */
async function moveNew(from: Buffer | string, to: Buffer | string): Promise<boolean> {
  try {
    await link(from, to);
  } catch (error) {
    if (errorCode(error) === 'EEXIST' && !(await isSame(from, to))) return false;
    if (NO_LINKS.includes(errorCode(error))) return renameNew(from, to);
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  await unlink(from);
  return true;
}

/** What file systems without hard links say. */
const NO_LINKS: readonly string[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

async function renameNew(from: Buffer | string, to: Buffer | string): Promise<boolean> {
  const isFree = await lstat(to).then(() => false, trueWhereGone);
  if (isFree) await rename(from, to);
  return isFree;
}

/** Whether an earlier try was ended between its two steps. */
async function isSame(a: Buffer | string, b: Buffer | string): Promise<boolean> {
  const [one, other] = await Promise.all([lstat(a), lstat(b)]);
  return one.ino === other.ino && one.dev === other.dev;
}

function falseWhereGone(error: unknown): false {
  if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errorCode(error))) return false;
  throw error;
}

function trueWhereGone(error: unknown): true {
  if (errorCode(error) === 'ENOENT') return true;
  throw error;
}
