import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { errorCode } from '../lib/errors.ts';
import { makeFolder } from '../lib/make-folder.ts';
import { markerAbroad, withinAbroad } from './abroad.ts';
import type { Entry } from './entry.ts';
import { inFolder, withinFolder } from './within-folder.ts';

const relativePath = z.string().refine((path) => path.split('/').every(isPlainName));

/** What is written down of a claim before its file is moved, so that it is known after a kill at any moment. */
export const claimInfoSchema = z.object({
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
  /** Whether the inbox is on another file system than ONBOARD_HOME: its file stays there until the run is over. */
  isAbroad: z.boolean(),
});
export type ClaimInfo = z.infer<typeof claimInfoSchema>;

/** A file that a watcher has taken out of an inbox; only its owner works on it. */
export type Claim = {
  readonly id: string;
  readonly folder: string;
  /** Where the file is, or will be once it is copied from abroad. */
  readonly file: string;
  readonly name: string;
  readonly member: string;
  readonly info: ClaimInfo;
  /** The stamp of the file abroad that `file` is a copy of; `null`: it is none, or not yet. */
  readonly copied: string | null;
};

/** In a claim's folder beside the file; a name that begins with a dot is never a file's. */
export const MARKER_NAME = '.marker';

/** The name of the file that says whose the claim is: to rename it is to take the claim over. */
export function infoName(member: string): string {
  return `.claim.${member}.json`;
}

export type NewClaim = {
  /** The folder of claims, in ONBOARD_HOME. */
  readonly base: string;
  readonly id: string;
  readonly member: string;
  readonly info: ClaimInfo;
};

/**
 * Takes a file out of its inbox by one rename: of several watchers one gets it, `null` for the others. Throws EXDEV where the
 * inbox is on another file system than `base` and the claim is not for that; the file is where it was then.
 */
export async function claimEntry(entry: Entry, given: NewClaim): Promise<Claim | null> {
  const { info } = given;
  const claim = await makeClaimFolder(entry.name.toString('utf8'), given);
  try {
    await withinFolder(info.inbox, entry.parts, (path) =>
      info.isAbroad
        ? withinAbroad(info.inbox, (abroad) =>
            moveIn(inFolder(path, entry.name), markerIn(path, info), placesAbroad(abroad, claim.id)),
          )
        : moveIn(inFolder(path, entry.name), markerIn(path, info), {
            file: claim.file,
            marker: join(claim.folder, MARKER_NAME),
          }),
    );
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
  await makeFolder(base);
  await mkdir(folder, { mode: 0o700 });
  await writeDurably(join(folder, infoName(member)), JSON.stringify(info));
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

type MovedTo = { readonly file: Buffer | string; readonly marker: Buffer | string };

function placesAbroad(abroad: Buffer, id: string): MovedTo {
  return { file: inFolder(abroad, id), marker: inFolder(abroad, markerAbroad(id)) };
}

function markerIn(path: Buffer, { marker }: ClaimInfo): Buffer | null {
  return marker === null ? null : inFolder(path, marker);
}

/** The marker goes first: who has it has the file, and it can't speak for the next one of that name. */
async function moveIn(file: Buffer, marker: Buffer | null, to: MovedTo): Promise<void> {
  if (marker !== null) await rename(marker, to.marker);
  try {
    await rename(file, to.file);
  } catch (error) {
    if (marker !== null) await rename(to.marker, marker);
    throw error;
  }
}

function isPlainName(name: string): boolean {
  return name !== '' && name !== '.' && !name.includes('..') && !/[/\0]/.test(name);
}
