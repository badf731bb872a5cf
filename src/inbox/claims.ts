import { readdir, rename, rm, rmdir, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../lib/errors.ts';
import { type Claim, type ClaimInfo, claimInfoSchema, infoName, MARKER_NAME } from './claim.ts';
import { readRegular } from './read-regular.ts';

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
  readonly hasMarker: boolean;
  /** As a claim's. */
  readonly copied: string | null;
};

/** In the folder of a claim from abroad: the stamp of the file that its file is a copy of. */
export const COPIED_NAME = '.copied';

const EMPTY_MS = 60_000;
const INFO_NAME = /^\.claim\.(.+)\.json$/;

/** All claims in a folder of them, of whoever; none where there is no such folder. One that can't be read is passed over. */
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

/** Removes what a watcher left that was killed when it had just begun a claim; a living one is done with that in no time. */
export async function removeEmptyClaims(base: string, now: Date): Promise<void> {
  for (const id of await namesIn(base)) {
    const folder = join(base, id);
    const stats = await stat(folder).catch(() => null);
    if (stats !== null && now.getTime() - stats.mtimeMs > EMPTY_MS)
      await rmdir(folder).catch(() => undefined);
  }
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
      info: read === null ? null : parseInfo(read.text),
      name,
      hasMarker: names.includes(MARKER_NAME),
      // Written before the copy gets its name.
      copied: name === null ? null : (copied?.text ?? null),
    };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Makes a claim of a watcher that is gone this member's; `null`: another one was faster. */
export async function takeOver(found: FoundClaim, member: string): Promise<FoundClaim | null> {
  try {
    await rename(join(found.folder, infoName(found.member)), join(found.folder, infoName(member)));
    return { ...found, member };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** The claim of what was found, where it is known what it is and its file is there, or may still lie abroad. */
export function claimOf({ id, folder, member, info, name, copied }: FoundClaim): Claim | null {
  if (info === null || (name === null && !info.isAbroad)) return null;
  const called = name ?? info.path.split('/').at(-1) ?? '';
  return { id, folder, file: join(folder, called), name: called, member, info, copied };
}

/** Shows the other watchers that this claim's owner is alive; false: it is not this member's any more. */
export async function beat({ folder, member }: Claim): Promise<boolean> {
  try {
    const now = new Date();
    await utimes(join(folder, infoName(member)), now, now);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Removes a claim with all that is in its folder. */
export async function dropClaim({ folder }: Pick<Claim, 'folder'>): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

function parseInfo(text: string): ClaimInfo | null {
  try {
    return claimInfoSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return [];
    throw error;
  }
}
