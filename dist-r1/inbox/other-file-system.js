/**
 * Files of an inbox on another file system than ONBOARD_HOME. No rename leads there, so such a file is first moved
 * aside within its own file system, and then copied to ONBOARD_HOME, durably and only while it stays the same. The
 * copy is what is read and sent; the original stays for an hour after the run, which shows whether somebody still
 * writes to it.
 */
import { lstat, open, readdir, rename, rm, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { insteadOf } from '../lib/errors.js';
import { stampOf } from '../lib/file-stamp.js';
import { makeFolder } from '../lib/make-folder.js';
import { sleep } from '../lib/waiting.js';
import { COPIED_NAME, dropClaim, giveBack, openClaimed, takenMarker, writeDurably, } from './claim.js';
import { inFolder, readRegular, TAKEN_FOLDER, withinTakenFolder } from './shared-folder.js';
/** The claim with its file copied to ONBOARD_HOME; `null`: there is nothing to go on with, which was told, or this process ends. */
export async function atHome(claim, watcher, signal) {
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
                return copied;
        }
    }
    return signal.aborted ? null : current;
}
/** Moves a file that can't be read out of the way, within its own file system: to move it to `failed` it would have to be read. */
async function leaveAside(claim, why, { teller }) {
    const { info, id } = claim;
    const aside = `refused-${id}`;
    await withinTakenFolder(info.inbox, (path) => rename(inFolder(path, id), inFolder(path, aside)));
    await dropClaim(claim);
    teller.line(`${info.path}: not taken: ${why}. It lies in ${join(info.inbox, TAKEN_FOLDER, aside)}`);
    return null;
}
/** Drops a claim without a file: its watcher was killed before the file was moved, or somebody removed the file. */
async function undo(claim, { places, teller }) {
    await giveBack({ ...claim, name: null }, places.inbox);
    teller.line(`${claim.info.path}: not taken for now: it is not in ${originalOf(claim)}`);
    return null;
}
const BLOCK_BYTES = 1024 * 1024;
/**
 * Copies the file of a claim into the claim's folder, durable before it has its name. It is opened from its inbox down
 * without following a link, since its sender may rename what lies there.
 */
export async function copyHome(claim) {
    const opened = await withinTakenFolder(claim.info.inbox, (path) => openClaimed(inFolder(path, claim.id)).catch(insteadOf('ENOENT', { kind: 'gone' })));
    if (opened.kind !== 'open')
        return opened;
    const { handle } = opened;
    const expected = claim.info.stamp;
    // Where one watcher took the claim over from another that still copies, neither writes into the other's copy.
    const copy = join(claim.folder, `.copy.${claim.member}`);
    try {
        if (opened.stamp !== expected)
            return { kind: 'changed', stamp: opened.stamp };
        await copyTo(copy, handle);
        const stamp = stampOf(await handle.stat({ bigint: true }));
        if (stamp !== expected)
            return { kind: 'changed', stamp };
        await writeDurably(join(claim.folder, COPIED_NAME), stamp, 'w');
        await rename(copy, claim.file);
        return { kind: 'home', claim: { ...claim, copied: stamp } };
    }
    finally {
        await handle.close();
    }
}
async function copyTo(path, from) {
    const to = await open(path, 'w', 0o600);
    try {
        const block = Buffer.allocUnsafe(BLOCK_BYTES);
        for (;;) {
            const { bytesRead } = await from.read(block, 0, BLOCK_BYTES, null);
            if (bytesRead === 0)
                break;
            await to.writeFile(block.subarray(0, bytesRead));
        }
        await to.sync();
    }
    finally {
        await to.close();
    }
}
/** Where the original of a claim's file lies, for people. */
export function originalOf({ id, info }) {
    return join(info.inbox, TAKEN_FOLDER, id);
}
/** Whether somebody wrote to the original since it was copied; false where it can't be seen. */
export async function isOriginalWritten({ id, info, copied }) {
    if (copied === null)
        return false;
    const stamp = await originalStamp(info.inbox, id);
    return stamp !== null && stamp !== copied;
}
/** Removes the original where it is what was copied; one that was written to since stays, and true is answered. */
export async function removeOriginal(claim) {
    const { id, info } = claim;
    if (!info.isOnOtherFileSystem)
        return false;
    if (await isOriginalWritten(claim))
        return true;
    await removeTaken(info.inbox, takenMarker(id));
    await removeTaken(info.inbox, id);
    return false;
}
/** What is known, in ONBOARD_HOME, of an original that is kept after its run is over. */
const keptSchema = z.object({
    inbox: z.string(),
    /** The stamp of the copy that was sent. */
    stamp: z.string(),
    /** The name in `done` of the copy. */
    done: z.string().regex(/^[^/\0]+$/),
    /** ISO 8601, UTC. */
    keptAt: z.string(),
});
/** Lies beside the claims: a name with a dot is never a claim's. */
const KEPT_FOLDER = '.originals';
/** How long files are looked at after their runs: a writer who pauses no longer than that is noticed. */
export const WATCHED_MS = 60 * 60_000;
/** Keeps the original for as long as late changes are looked for; `done` is its copy's name there. */
export async function keepOriginal(claim, processing, done) {
    const { id, info, copied } = claim;
    if (copied === null)
        return;
    const folder = join(processing, KEPT_FOLDER);
    await makeFolder(folder);
    const kept = { inbox: info.inbox, stamp: copied, done, keptAt: new Date().toISOString() };
    const path = join(folder, `${id}.json`);
    await writeDurably(`${path}.tmp`, JSON.stringify(kept), 'w');
    await rename(`${path}.tmp`, path);
    await removeTaken(info.inbox, takenMarker(id));
}
/** Looks at what is kept; what was left alone for long enough is removed. Each change is answered once. */
export async function lateOriginals(processing, inboxes, now) {
    const folder = join(processing, KEPT_FOLDER);
    const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'));
    const late = await Promise.all(names.map((name) => lookAt(join(folder, name), inboxes, now)));
    return late.filter((one) => one !== null);
}
async function lookAt(path, inboxes, now) {
    const kept = await readKept(path);
    // A definition may have lost its inbox meanwhile, and may get it again.
    if (kept === null || !inboxes.has(kept.inbox))
        return null;
    const id = basename(path, '.json');
    const stamp = await originalStamp(kept.inbox, id);
    if (stamp !== null && stamp !== kept.stamp) {
        await rm(path, { force: true });
        return { done: kept.done, original: join(kept.inbox, TAKEN_FOLDER, id) };
    }
    if (now.getTime() - Date.parse(kept.keptAt) >= WATCHED_MS) {
        if (stamp !== null)
            await removeTaken(kept.inbox, id);
        await rm(path, { force: true });
    }
    return null;
}
async function readKept(path) {
    try {
        const read = await readRegular(path);
        return keptSchema.parse(JSON.parse(read?.text ?? ''));
    }
    catch {
        return null;
    }
}
/** `null`: the original is gone, or can't be looked at now. */
async function originalStamp(inbox, id) {
    try {
        return stampOf(await withinTakenFolder(inbox, (path) => lstat(inFolder(path, id), { bigint: true })));
    }
    catch {
        return null;
    }
}
/** Trouble is passed over: a file that stays here is in nobody's way. */
async function removeTaken(inbox, name) {
    await withinTakenFolder(inbox, (path) => unlink(inFolder(path, name))).catch(() => undefined);
}
//# sourceMappingURL=other-file-system.js.map