/**
 * Files of an inbox on another file system than ONBOARD_HOME. No rename leads there, so such a file
 * is first moved aside within its file system, and then copied to ONBOARD_HOME, durably and only
 * while it stays the same. The copy is read and sent; the original stays for an hour after the run,
 * which shows late writes.
 */
import { lstat, open, readdir, rename, rm, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { insteadOf } from '../lib/errors.ts';
import { stampOf } from '../lib/file-stamp.ts';
import { makeFolder } from '../lib/make-folder.ts';
import { sleep } from '../lib/waiting.ts';
import {
  type Claim,
  COPIED_NAME,
  dropClaim,
  giveBack,
  type Opened,
  openClaimed,
  takenMarker,
  writeDurably,
} from './claim.ts';
import { inFolder, readRegular, TAKEN_FOLDER, withinTakenFolder } from './shared-folder.ts';
import type { Watcher } from './watcher.ts';

/** `null`: nothing to go on with, as was said, or this process ends. */
export async function atHome(claim: Claim, watcher: Watcher, signal: AbortSignal): Promise<Claim | null> {
  let current = claim;
  while (current.info.isOnOtherFileSystem && current.copied === null && !signal.aborted) {
    const copied = await copyHome(current);
    switch (copied.kind) {
      case 'home':
        return copied.claim;
      case 'refused':
        return leaveAside(current, copied.why, watcher);
      case 'gone':
        return undo(current, watcher);
      case 'changed':
        current = { ...current, info: { ...current.info, stamp: copied.stamp } };
        await sleep(watcher.restMs, signal);
        break;
      default:
        return copied satisfies never;
    }
  }
  return signal.aborted ? null : current;
}

/** Moves an unreadable file aside within its own file system: `failed` would take a copy. */
async function leaveAside(claim: Claim, why: string, { teller }: Watcher): Promise<null> {
  const { info, id } = claim;
  const aside = `refused-${id}`;
  await withinTakenFolder(info.inbox, (path) => rename(inFolder(path, id), inFolder(path, aside)));
  await dropClaim(claim);
  teller.line(`${info.path}: not taken: ${why}. It lies in ${join(info.inbox, TAKEN_FOLDER, aside)}`);
  return null;
}

/** Drops a claim without a file: its watcher died before the move, or the file was removed. */
async function undo(claim: Claim, { places, teller }: Watcher): Promise<null> {
  await giveBack({ ...claim, name: null }, places.inbox);
  teller.line(`${claim.info.path}: not taken for now: it is not in ${originalOf(claim)}`);
  return null;
}

const BLOCK_BYTES = 1024 * 1024;

/** `changed`: still being written, to be tried again; `gone`: never moved, or removed. */
type CopiedHome =
  | { readonly kind: 'home'; readonly claim: Claim }
  | { readonly kind: 'changed'; readonly stamp: string }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'gone' };

/**
 * Copies a claim's file into its folder, durable before it has its name. Opened from the inbox down
 * without following a link, since its sender may rename what lies there.
 */
export async function copyHome(claim: Claim): Promise<CopiedHome> {
  const opened = await withinTakenFolder(claim.info.inbox, (path) =>
    openClaimed(inFolder(path, claim.id)).catch(insteadOf('ENOENT', { kind: 'gone' } as const)),
  );
  if (opened.kind !== 'open') return opened;
  const { handle } = opened;
  const expected = claim.info.stamp;
  // A watcher that took the claim over must not write into the other's copy.
  const copy = join(claim.folder, `.copy.${claim.member}`);
  try {
    if (opened.stamp !== expected) return { kind: 'changed', stamp: opened.stamp };
    await copyTo(copy, handle);
    const stamp = stampOf(await handle.stat({ bigint: true }));
    if (stamp !== expected) return { kind: 'changed', stamp };
    await writeDurably(join(claim.folder, COPIED_NAME), stamp, 'w');
    await rename(copy, claim.file);
    return { kind: 'home', claim: { ...claim, copied: stamp } };
  } finally {
    await handle.close();
  }
}

async function copyTo(path: string, from: Extract<Opened, { kind: 'open' }>['handle']): Promise<void> {
  const to = await open(path, 'w', 0o600);
  try {
    const block = Buffer.allocUnsafe(BLOCK_BYTES);
    for (;;) {
      const { bytesRead } = await from.read(block, 0, BLOCK_BYTES, null);
      if (bytesRead === 0) break;
      await to.writeFile(block.subarray(0, bytesRead));
    }
    await to.sync();
  } finally {
    await to.close();
  }
}

export function originalOf({ id, info }: Pick<Claim, 'id' | 'info'>): string {
  return join(info.inbox, TAKEN_FOLDER, id);
}

/** False where it can't be seen. */
export async function isOriginalWritten({ id, info, copied }: Claim): Promise<boolean> {
  if (copied === null) return false;
  const stamp = await originalStamp(info.inbox, id);
  return stamp !== null && stamp !== copied;
}

/** Removes an unchanged original; true: it was written to since, and stays. */
export async function removeOriginal(claim: Claim): Promise<boolean> {
  const { id, info } = claim;
  if (!info.isOnOtherFileSystem) return false;
  if (await isOriginalWritten(claim)) return true;
  await removeTaken(info.inbox, takenMarker(id));
  await removeTaken(info.inbox, id);
  return false;
}

/** Kept in ONBOARD_HOME about an original that stays after its run. */
const keptSchema = z.object({
  inbox: z.string(),
  /** Stamp of the copy that was sent. */
  stamp: z.string(),
  done: z.string().regex(/^[^/\0]+$/),
  /** ISO 8601, UTC. */
  keptAt: z.string(),
});
type Kept = z.infer<typeof keptSchema>;

/** Beside the claims: a claim's name has no dot. */
const KEPT_FOLDER = '.originals';

/** A writer who pauses no longer than that is noticed. */
export const WATCHED_MS = 60 * 60_000;

/** Keeps the original while late changes are looked for; `done`: its copy's name there. */
export async function keepOriginal(claim: Claim, processing: string, done: string): Promise<void> {
  const { id, info, copied } = claim;
  if (copied === null) return;
  const folder = join(processing, KEPT_FOLDER);
  await makeFolder(folder);
  const kept: Kept = { inbox: info.inbox, stamp: copied, done, keptAt: new Date().toISOString() };
  const path = join(folder, `${id}.json`);
  await writeDurably(`${path}.tmp`, JSON.stringify(kept), 'w');
  await rename(`${path}.tmp`, path);
  await removeTaken(info.inbox, takenMarker(id));
}

/** Written to after its copy was sent: it stays where it is. */
type LateOriginal = { readonly done: string; readonly original: string };

/** Answers each late change once; removes originals that were left alone for long enough. */
export async function lateOriginals(
  processing: string,
  inboxes: ReadonlySet<string>,
  now: Date,
): Promise<LateOriginal[]> {
  const folder = join(processing, KEPT_FOLDER);
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'));
  const late = await Promise.all(names.map((name) => lookAt(join(folder, name), inboxes, now)));
  return late.filter((one) => one !== null);
}

async function lookAt(path: string, inboxes: ReadonlySet<string>, now: Date): Promise<LateOriginal | null> {
  const kept = await readKept(path);
  // A definition may have lost its inbox, and may get it again.
  if (kept === null || !inboxes.has(kept.inbox)) return null;
  const id = basename(path, '.json');
  const stamp = await originalStamp(kept.inbox, id);
  if (stamp !== null && stamp !== kept.stamp) {
    await rm(path, { force: true });
    return { done: kept.done, original: join(kept.inbox, TAKEN_FOLDER, id) };
  }
  if (now.getTime() - Date.parse(kept.keptAt) >= WATCHED_MS) {
    if (stamp !== null) await removeTaken(kept.inbox, id);
    await rm(path, { force: true });
  }
  return null;
}

async function readKept(path: string): Promise<Kept | null> {
  try {
    const read = await readRegular(path);
    return keptSchema.parse(JSON.parse(read?.text ?? ''));
  } catch {
    return null;
  }
}

/** `null`: gone, or not readable now. */
async function originalStamp(inbox: string, id: string): Promise<string | null> {
  try {
    return stampOf(await withinTakenFolder(inbox, (path) => lstat(inFolder(path, id), { bigint: true })));
  } catch {
    return null;
  }
}

/** Trouble is passed over: a file that stays here is in nobody's way. */
async function removeTaken(inbox: string, name: string): Promise<void> {
  await withinTakenFolder(inbox, (path) => unlink(inFolder(path, name))).catch(() => undefined);
}
