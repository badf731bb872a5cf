/**
 * The files of one journal. One segment grows by whole groups of lines, each on the disk before it is acknowledged; a full one is archived,
 * durable under its new name before the raw lines go; one that holds nothing of any remembered run is deleted. A write that failed counts
 * for nothing, and after a failure that leaves the file uncertain the next group has another file.
 */
import { constants, createReadStream, createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { messageOf } from '../lib/errors.js';
import { syncFolder } from './folder.js';
import { HEAD_LINE } from './record.js';
export function createSegments({ folder, segmentBytes, onTrouble }) {
    const index = createSegmentIndex();
    const toArchive = new Set();
    const onDisk = new Set();
    let number = 0;
    let current = null;
    let tidying = Promise.resolve();
    const open = async () => {
        // A number is used once, also where making its file failed half-way.
        number += 1;
        const file = await createSegmentFile(folder, number);
        current = file;
        index.opened(number);
        onDisk.add(number);
        return file;
    };
    const seal = async () => {
        await current?.close().catch(tell);
        if (current !== null)
            toArchive.add(number);
        current = null;
    };
    const tell = (error) => onTrouble('the journal could not be tidied', error instanceof Error ? error : new Error(String(error)));
    const tidy = () => {
        tidying = tidying.then(() => archiveFull().then(sweep)).catch(tell);
        return tidying;
    };
    const archiveFull = async () => {
        for (const full of toArchive) {
            // Where the disk is too full for an archive, deleting others may make room: it is tried again.
            if (!index.isNeeded(full) || (await isArchived(full)))
                toArchive.delete(full);
        }
    };
    const isArchived = (full) => archiveSegment(folder, full).then(() => true, (error) => {
        tell(error);
        return false;
    });
    const sweep = async () => {
        // Asked anew in each round: a segment may have been opened meanwhile, of whose lines the index doesn't know yet.
        const deletable = () => index.deletable(current === null ? null : number);
        for (let gone = deletable(); gone.length > 0; gone = deletable()) {
            for (const segment of gone)
                await remove(segment);
            // The word that a run is forgotten must outlive what it speaks of.
            await syncFolder(folder);
        }
    };
    const remove = async (segment) => {
        for (const form of ['log', 'gz']) {
            await rm(join(folder, segmentName(segment, form)), { force: true });
        }
        index.deleted(segment);
        onDisk.delete(segment);
    };
    const enter = (lines) => {
        for (const { kind, run } of lines) {
            if (kind === 'told')
                index.told(number, run);
            else if (kind === 'forgotten')
                index.forgotten(number, run);
        }
    };
    const append = async (lines, text) => {
        const file = current ?? (await open());
        try {
            await file.append(text);
        }
        catch (error) {
            if (!file.isUsable())
                await seal();
            throw new Error(`${lines.length} records could not be written to ${file.path}: ${messageOf(error)}`, {
                cause: error,
            });
        }
        enter(lines);
        return file.size() >= segmentBytes || index.isIdle();
    };
    return {
        async commit(lines) {
            const text = lines.map((line) => line.text).join('');
            if (text === '' || !(await append(lines, text)))
                return;
            await seal();
            void tidy();
        },
        tidy,
        async close() {
            await seal();
            await tidy();
            return onDisk.size === 0 ? 'empty' : 'kept';
        },
    };
}
function createSegmentIndex() {
    const segments = new Map();
    const held = (segment) => {
        const known = segments.get(segment) ?? { live: new Set(), mentioned: new Set(), forgotten: new Set() };
        segments.set(segment, known);
        return known;
    };
    const isNeeded = (segment) => (segments.get(segment)?.live.size ?? 0) > 0;
    /** Without that word an earlier segment's records of the run would be taken for true. */
    const guardsEarlier = (segment, { forgotten }) => [...segments].some(([other, { mentioned }]) => other < segment && [...forgotten].some((run) => mentioned.has(run)));
    return {
        opened: (segment) => void held(segment),
        told(segment, run) {
            const { live, mentioned } = held(segment);
            live.add(run);
            mentioned.add(run);
        },
        forgotten(segment, run) {
            for (const { live } of segments.values())
                live.delete(run);
            held(segment).forgotten.add(run);
        },
        isIdle: () => [...segments.values()].every(({ live }) => live.size === 0),
        isNeeded,
        deletable: (current) => [...segments]
            .filter(([segment, h]) => segment !== current && !isNeeded(segment) && !guardsEarlier(segment, h))
            .map(([segment]) => segment),
        deleted: (segment) => void segments.delete(segment),
    };
}
/** The name of a segment's file: lines as they were written, or the same compressed. */
export function segmentName(number, form) {
    return `${String(number).padStart(6, '0')}.${form}`;
}
/** A write returns when its bytes are on the disk: one call where a write and a sync would be two. Not every system has it. */
const { O_DSYNC = 0, O_WRONLY, O_CREAT, O_EXCL } = constants;
/** Makes a segment's file, durably, for its owner alone. */
async function createSegmentFile(folder, number) {
    const path = join(folder, segmentName(number, 'log'));
    const handle = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_DSYNC, 0o600);
    let size = 0;
    let usable = true;
    try {
        await syncFolder(folder);
    }
    catch (error) {
        await handle.close();
        throw error;
    }
    return {
        path,
        size: () => size,
        isUsable: () => usable,
        async append(text) {
            const bytes = Buffer.from(size === 0 ? HEAD_LINE + text : text);
            try {
                await writeAll(handle, bytes, size);
                if (O_DSYNC === 0)
                    await handle.datasync();
            }
            catch (error) {
                // After a failed sync the system may take pages for written that aren't; only a full disk says that it took nothing.
                usable = (await isTruncated(handle, size)) && isFull(error);
                throw error;
            }
            size += bytes.length;
        },
        close: () => handle.close(),
    };
}
function isFull(error) {
    return error instanceof Error && 'code' in error && FULL.has(error.code);
}
const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
async function writeAll(handle, bytes, position) {
    let written = 0;
    while (written < bytes.length) {
        const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, position + written);
        written += bytesWritten;
    }
}
async function isTruncated(handle, size) {
    try {
        await handle.truncate(size);
        return true;
    }
    catch {
        return false;
    }
}
/** The fastest: the text is highly repetitive, and the process has rows to send. */
const GZIP = { level: 1 };
/**
 * Puts a full segment, compressed, in its own place: durable under its name before the raw lines go. The lines stay as
 * they are: what they come down to is worked out by the replay, which is rare, and not while rows are sent.
 */
async function archiveSegment(folder, number) {
    const raw = join(folder, segmentName(number, 'log'));
    const archive = join(folder, segmentName(number, 'gz'));
    const temporary = `${archive}.tmp`;
    try {
        await pipeline(createReadStream(raw), createGzip(GZIP), createWriteStream(temporary, { mode: 0o600 }));
        await sync(temporary);
        await rename(temporary, archive);
    }
    catch (error) {
        await rm(temporary, { force: true });
        throw error;
    }
    await syncFolder(folder);
    // No sync after it: a reader that finds both takes the archive.
    await rm(raw);
}
async function sync(path) {
    const handle = await open(path, 'r+');
    try {
        await handle.sync();
    }
    finally {
        await handle.close();
    }
}
//# sourceMappingURL=segments.js.map