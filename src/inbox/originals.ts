import { lstat, readdir, rename, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { stampOf } from '../lib/file-stamp.ts';
import { makeFolder } from '../lib/make-folder.ts';
import { ABROAD, markerAbroad, withinAbroad } from './abroad.ts';
import { type Claim, writeDurably } from './claim.ts';
import { WATCHED_MS } from './late-changes.ts';
import { readRegular } from './read-regular.ts';
import { inFolder } from './within-folder.ts';

/** What is known, in ONBOARD_HOME, of an original that is kept abroad after its run is over. */
const keptSchema = z.object({
  inbox: z.string(),
  /** Of the copy that was sent. */
  stamp: z.string(),
  /** The name in `done` of the copy. */
  done: z.string().regex(/^[^/\0]+$/),
  /** ISO 8601, UTC. */
  keptAt: z.string(),
});
type Kept = z.infer<typeof keptSchema> & { readonly id: string };

/** Beside the claims; a name with a dot is none's. */
const KEPT_FOLDER = '.originals';

/** Whether somebody wrote to the file abroad since it was copied; false where it can't be seen. */
export async function isWrittenAbroad({ id, info, copied }: Claim): Promise<boolean> {
  if (copied === null) return false;
  const stamp = await originalStamp(info.inbox, id);
  return stamp !== null && stamp !== copied;
}

/** Where the file of a claim lies abroad, for people. */
export function originalOf({ id, info }: Pick<Claim, 'id' | 'info'>): string {
  return join(info.inbox, ABROAD, id);
}

/** Keeps the original for as long as late changes are looked for; `done` is its copy's name there. */
export async function keepOriginal(claim: Claim, processing: string, done: string): Promise<void> {
  if (claim.copied === null) return;
  const folder = join(processing, KEPT_FOLDER);
  await makeFolder(folder);
  const kept = { inbox: claim.info.inbox, stamp: claim.copied, done, keptAt: new Date().toISOString() };
  const path = join(folder, `${claim.id}.json`);
  await writeDurably(`${path}.tmp`, JSON.stringify(kept), 'w');
  await rename(`${path}.tmp`, path);
  await removeMarker(claim.info.inbox, claim.id);
}

/** Removes the original where it is what was copied; one that was written to since stays, and true is answered. */
export async function removeOriginal(claim: Claim): Promise<boolean> {
  if (!claim.info.isAbroad) return false;
  if (await isWrittenAbroad(claim)) return true;
  await removeMarker(claim.info.inbox, claim.id);
  await removeAbroad(claim.info.inbox, claim.id);
  return false;
}

/** An original that was written to after its copy was sent: it stays where it is. */
type LateOriginal = { readonly done: string; readonly original: string };

/** Looks at what is kept; what was left alone for long enough is removed. Each change is answered once. */
export async function lateOriginals(
  processing: string,
  inboxes: ReadonlySet<string>,
  now: Date,
): Promise<LateOriginal[]> {
  const folder = join(processing, KEPT_FOLDER);
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'));
  const late = await Promise.all(names.map((name) => lookAt(folder, name, { inboxes, now })));
  return late.filter((one) => one !== null);
}

async function lookAt(
  folder: string,
  name: string,
  { inboxes, now }: { readonly inboxes: ReadonlySet<string>; readonly now: Date },
): Promise<LateOriginal | null> {
  const kept = await readKept(folder, name);
  // A definition may have lost its inbox meanwhile, and may get it again.
  if (kept === null || !inboxes.has(kept.inbox)) return null;
  const stamp = await originalStamp(kept.inbox, kept.id);
  if (stamp !== null && stamp !== kept.stamp) {
    await rm(join(folder, name), { force: true });
    return { done: kept.done, original: join(kept.inbox, ABROAD, kept.id) };
  }
  if (now.getTime() - Date.parse(kept.keptAt) >= WATCHED_MS) {
    if (stamp !== null) await removeAbroad(kept.inbox, kept.id);
    await rm(join(folder, name), { force: true });
  }
  return null;
}

async function readKept(folder: string, name: string): Promise<Kept | null> {
  try {
    const read = await readRegular(join(folder, name));
    return { ...keptSchema.parse(JSON.parse(read?.text ?? '')), id: name.replace(/\.json$/, '') };
  } catch {
    return null;
  }
}

/** `null`: it can't be seen, for now or for good. */
async function originalStamp(inbox: string, id: string): Promise<string | null> {
  try {
    return stampOf(await withinAbroad(inbox, (path) => lstat(inFolder(path, id), { bigint: true })));
  } catch {
    return null;
  }
}

async function removeMarker(inbox: string, id: string): Promise<void> {
  await removeAbroad(inbox, markerAbroad(id));
}

/** What can't be removed is in nobody's way. */
async function removeAbroad(inbox: string, name: string): Promise<void> {
  await withinAbroad(inbox, (path) => unlink(inFolder(path, name))).catch(() => undefined);
}
