import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Entry } from './entry.ts';
import { errorCode } from './error-code.ts';
import { inFolder, withinFolder } from './within-folder.ts';

/** What is written down of a claim before its file is moved, so that it is known after a kill at any moment. */
export const claimInfoSchema = z.object({
  job: z.string(),
  inbox: z.string(),
  /** Relative to the inbox. */
  path: z.string(),
  /** ISO 8601, UTC. */
  claimedAt: z.string(),
  /** The stamp of the file when it was found to be whole. */
  stamp: z.string(),
  /** The name of its marker file. */
  marker: z.string().nullable(),
});
export type ClaimInfo = z.infer<typeof claimInfoSchema>;

/** A file that a watcher has taken out of an inbox; only its owner works on it. */
export type Claim = {
  readonly id: string;
  readonly folder: string;
  /** Where the file is now. */
  readonly file: string;
  readonly name: string;
  readonly member: string;
  readonly info: ClaimInfo;
};

/** In a claim's folder beside the file; a name that begins with a dot is never a file's. */
export const MARKER_NAME = '.marker';

/** The name of the file that says whose the claim is: to rename it is to take the claim over. */
export function infoName(member: string): string {
  return `.claim.${member}.json`;
}

export type NewClaim = {
  /** The folder of claims. */
  readonly base: string;
  readonly id: string;
  readonly member: string;
  readonly info: ClaimInfo;
};

/**
 * Takes a file out of its inbox by one rename: of several watchers one gets it, `null` for the others. Throws EXDEV where the
 * inbox is on another file system than `base`; the file is where it was then.
 */
export async function claimEntry(entry: Entry, given: NewClaim): Promise<Claim | null> {
  const claim = await makeClaimFolder(entry.name.toString('utf8'), given);
  try {
    await withinFolder(given.info.inbox, entry.parts, (path) => moveIn(path, entry.name, claim));
    return claim;
  } catch (error) {
    await rm(claim.folder, { recursive: true, force: true });
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errorCode(error))) return null;
    throw error;
  }
}

/** The claim's folder with what is known of it, durable before anything is moved. */
export async function makeClaimFolder(name: string, { base, id, member, info }: NewClaim): Promise<Claim> {
  const folder = join(base, id);
  await mkdir(base, { recursive: true, mode: 0o700 });
  await mkdir(folder, { mode: 0o700 });
  const handle = await open(join(folder, infoName(member)), 'wx', 0o600);
  try {
    await handle.writeFile(JSON.stringify(info));
    await handle.datasync();
  } finally {
    await handle.close();
  }
  return { id, folder, file: join(folder, name), name, member, info };
}

/** The marker goes first: who has it has the file, and it can't speak for the next one of that name. */
async function moveIn(path: Buffer, name: Buffer, { folder, file, info }: Claim): Promise<void> {
  const { marker } = info;
  const kept = join(folder, MARKER_NAME);
  if (marker !== null) await rename(inFolder(path, marker), kept);
  try {
    await rename(inFolder(path, name), file);
  } catch (error) {
    if (marker !== null) await rename(kept, inFolder(path, marker));
    throw error;
  }
}
