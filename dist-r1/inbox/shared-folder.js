/**
 * Folders that others may write to: whoever delivers files into an inbox can put a link, a pipe or another file in
 * the place of what was looked at a moment ago. Nothing here follows a link below the folder it was given, waits for
 * a pipe, or overwrites a file that somebody else has put there.
 */
import { constants, existsSync } from 'node:fs';
import { link, lstat, mkdir, open, rename, stat, unlink } from 'node:fs/promises';
import { errorCode, hasCode, insteadOf } from '../lib/errors.js';
const SLASH = Buffer.from('/');
/** Linux shows open files by number here: a path through a number leads to that very folder, whatever became of its name. */
const DESCRIPTORS = '/proc/self/fd';
const hasDescriptors = existsSync(DESCRIPTORS);
const FOLDER = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0);
const FOLDER_ITSELF = FOLDER | (constants.O_NOFOLLOW ?? 0);
const FILE_ITSELF = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
/** What opening, listing or moving says where something on the way is gone, or is a link or a file by now. */
export const NOT_THERE = ['ENOENT', 'ENOTDIR', 'ELOOP'];
/**
 * Does something in the folder that `parts` lead to from `root`, none of them a symbolic link, and hands it a path that stays
 * that folder's while it works (Linux; elsewhere the path as it is spelled). Throws what opening says: ENOENT, ELOOP, ENOTDIR.
 */
export async function withinFolder(root, parts, work) {
    const handle = await open(root, FOLDER);
    try {
        return await descend(pathOf(handle, Buffer.from(root)), parts, work);
    }
    finally {
        await handle.close();
    }
}
/** As `withinFolder`, from a folder that is open already. */
export async function descend(path, parts, work) {
    const [next, ...rest] = parts;
    if (next === undefined)
        return work(path);
    const below = inFolder(path, next);
    const handle = await open(below, FOLDER_ITSELF);
    try {
        return await descend(pathOf(handle, below), rest, work);
    }
    finally {
        await handle.close();
    }
}
/** The path of a name in a folder. */
export function inFolder(folder, name) {
    return Buffer.concat([folder, SLASH, typeof name === 'string' ? Buffer.from(name) : name]);
}
function pathOf(handle, spelled) {
    return hasDescriptors ? Buffer.from(`${DESCRIPTORS}/${handle.fd}`) : spelled;
}
/** Opens what lies at the path itself for reading: a link is not followed (ELOOP), a pipe is not waited for. */
export function openItself(path) {
    return open(path, FILE_ITSELF);
}
/** The text of a small file and when it was written last; `null`: it is no file. */
export async function readRegular(path) {
    const handle = await openItself(path).catch(insteadOf(['ELOOP', 'EMLINK', 'ENXIO', 'EISDIR'], null));
    if (handle === null)
        return null;
    try {
        const stats = await handle.stat();
        return stats.isFile() ? { text: await handle.readFile('utf8'), mtimeMs: stats.mtimeMs } : null;
    }
    finally {
        await handle.close();
    }
}
/** Moves a file to a name that nothing has; false: something has it. A move that was ended half-way is completed. */
export async function moveToFreeName(from, to) {
    try {
        await link(from, to);
    }
    catch (error) {
        if (hasCode(error, 'EEXIST') && !(await isSameFile(from, to)))
            return false;
        if (hasCode(error, ...NO_LINKS))
            return renameToFreeName(from, to);
        if (!hasCode(error, 'EEXIST'))
            throw error;
    }
    await unlink(from);
    return true;
}
/** The errors of file systems without hard links. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];
async function renameToFreeName(from, to) {
    const isFree = (await lstat(to).catch(insteadOf('ENOENT', null))) === null;
    if (isFree)
        await rename(from, to);
    return isFree;
}
async function isSameFile(a, b) {
    const [one, other] = await Promise.all([lstat(a), lstat(b)]);
    return one.ino === other.ino && one.dev === other.dev;
}
/**
 * Where files of an inbox on another file system than ONBOARD_HOME lie while they are taken, each called by its claim's id.
 * Whoever may write to the inbox may put anything here: only what a claim in ONBOARD_HOME names is looked at.
 */
export const TAKEN_FOLDER = '.processing';
/** An inbox from which no file can be taken; the message says why, and what to do. */
export class UnusableInbox extends Error {
}
/** Makes sure that an inbox has its folder for files that are taken. */
export async function prepareTakenFolder(inbox) {
    await withinFolder(inbox, [], (root) => mkdir(inFolder(root, TAKEN_FOLDER), { mode: 0o700 }).catch(insteadOf('EEXIST', undefined)));
    await withinTakenFolder(inbox, async () => undefined);
}
/** Does something in that folder, which is a real one of this user's alone; else throws `UnusableInbox`. */
export async function withinTakenFolder(inbox, work) {
    let isOpen = false;
    try {
        return await withinFolder(inbox, [Buffer.from(TAKEN_FOLDER)], async (path) => {
            await checkOwn(path, inbox);
            isOpen = true;
            return work(path);
        });
    }
    catch (error) {
        if (isOpen)
            throw error;
        switch (errorCode(error)) {
            case 'ELOOP':
            case 'ENOTDIR':
                throw unusable(inbox, 'is no folder');
            case 'ENOENT':
                throw unusable(inbox, 'is not there');
            default:
                throw error;
        }
    }
}
const OTHER_USERS = 0o077;
async function checkOwn(path, inbox) {
    const { uid, mode } = await stat(path);
    if (process.getuid === undefined)
        return;
    if (uid !== process.getuid())
        throw unusable(inbox, `belongs to user ${uid}`);
    if ((mode & OTHER_USERS) !== 0)
        throw unusable(inbox, 'is open to other users');
}
function unusable(inbox, why) {
    return new UnusableInbox(`${inbox}/${TAKEN_FOLDER} ${why}: expected a folder that only the user of this program may use; remove it, and it is made again`);
}
//# sourceMappingURL=shared-folder.js.map