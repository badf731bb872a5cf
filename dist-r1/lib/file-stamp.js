import { stat } from 'node:fs/promises';
import { UsageError } from './usage-error.js';
/** The stamp of a file whose state is at hand. */
export function stampOf({ ino, size, mtimeNs }) {
    return [ino, size, mtimeNs].join(':');
}
/** The stamp of the file at a path, links followed. */
export async function fileStamp(path) {
    return stampOf(await stat(path, { bigint: true }));
}
/** Nanoseconds are divided as whole numbers: divided as a double the time could be rounded up to the next millisecond. */
export function writtenOf({ size, mtimeNs }) {
    return { bytes: Number(size), ms: Number(mtimeNs / 1000000n) };
}
/** The same parts, read off a stamp; `null` where the text is no stamp. */
export function writtenOfStamp(stamp) {
    const [, size, mtimeNs] = stamp.split(':');
    if (size === undefined || mtimeNs === undefined)
        return null;
    return writtenOf({ size: BigInt(size), mtimeNs: BigInt(mtimeNs) });
}
/** The error of a reading during which the file's stamp changed. */
export function changedWhileRead(path) {
    return new UsageError(`${path}: was changed while it was read: expected a file that is whole; wait until it is`);
}
//# sourceMappingURL=file-stamp.js.map