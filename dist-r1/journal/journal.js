/**
 * One process' memory of what it was about to send and what became of it, on a disk of its own, for a Redis that forgets. A record that is
 * written is on the disk before anything is sent by it; notes follow within 50 ms. A run that has ended is forgotten, and files that hold
 * nothing else go with it. read-journal.ts reads it back.
 */
import { rm } from 'node:fs/promises';
import { createRecentMap } from '../lib/recent.js';
import { makeWorkerFolder, syncFolder } from './folder.js';
import { createGroupCommit } from './group-commit.js';
import { encodeLine } from './record.js';
import { createSegments } from './segments.js';
const SEGMENT_BYTES = 4 * 1024 * 1024;
const TROUBLE_MS = 1_000;
/** Ended runs of which an outcome may still come late. */
const FORGOTTEN_KEPT = 1_000;
/** Opens a new journal in `<folder>/<worker>/` (0700; its files 0600); throws where the folder can't be made or is there already. */
export async function openJournal(options) {
    const { folder, worker, segmentBytes = SEGMENT_BYTES } = options;
    const path = await makeWorkerFolder(folder, worker);
    const onTrouble = oncePerSecond(options.onTrouble);
    const segments = createSegments({ folder: path, segmentBytes, onTrouble });
    const group = createGroupCommit({ commit: segments.commit, onTrouble });
    const memory = createMemory();
    let closing = null;
    const shut = async () => {
        // What can't be written was told of; the rest is closed all the same.
        await group.flush().catch(() => { });
        group.stop();
        if ((await segments.close()) === 'kept')
            return;
        await rm(path, { recursive: true, force: true });
        await syncFolder(folder);
    };
    return {
        worker,
        async write(record) {
            if (closing !== null)
                throw new Error(`the journal ${path} is closed`);
            if (memory.takes(record))
                await group.write(lineOf(record));
        },
        note(record) {
            if (closing === null && memory.takes(record))
                group.note(lineOf(record));
        },
        flush: () => (closing === null ? group.flush() : closing),
        runs: memory.runs,
        async forget(run) {
            if (closing !== null || !memory.forgets(run))
                return;
            group.note(lineOf({ kind: 'forgotten', run }));
            await group.flush().catch(() => { });
            await segments.tidy();
        },
        close() {
            closing ??= shut();
            return closing;
        },
    };
}
function lineOf(record) {
    const kind = record.kind === 'forgotten' ? 'forgotten' : 'told';
    return { text: encodeLine(record), run: record.run, kind };
}
/** A late outcome of a run that is forgotten would be kept for ever. */
const BEGINNINGS = new Set(['run', 'added', 'intended']);
function createMemory() {
    const remembered = new Set();
    const forgotten = createRecentMap(FORGOTTEN_KEPT);
    return {
        takes(record) {
            if (forgotten.has(record.run) && !BEGINNINGS.has(record.kind))
                return false;
            forgotten.delete(record.run);
            remembered.add(record.run);
            return true;
        },
        forgets(run) {
            if (!remembered.delete(run))
                return false;
            forgotten.set(run, true);
            return true;
        },
        runs: () => [...remembered],
    };
}
function oncePerSecond(tell) {
    let last = Number.NEGATIVE_INFINITY;
    return (event, error) => {
        const now = performance.now();
        if (now - last < TROUBLE_MS)
            return;
        last = now;
        tell(event, error);
    };
}
//# sourceMappingURL=journal.js.map