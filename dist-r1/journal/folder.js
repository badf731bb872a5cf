/**
 * The folders of the journals: `<ONBOARD_HOME>/journal/<worker>/`, made, removed and synced so that what was promised is still there after
 * a power cut.
 */
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../lib/make-folder.js';
/** Removes a dead worker's journal, after all of its runs have ended; nothing where it is gone. */
export async function removeWorkerFolder(folder, worker) {
    await rm(join(folder, worker), { recursive: true, force: true });
    await syncFolder(folder);
}
/** Makes `<folder>/<worker>`, durably, for its owner alone; throws where the worker has one already. */
export async function makeWorkerFolder(folder, worker) {
    const path = join(folder, worker);
    await makeFolder(folder);
    await mkdir(path, { mode: 0o700 });
    await syncFolder(folder);
    await syncFolder(join(folder, '..'));
    return path;
}
/** Resolves when what was made, renamed or removed in the folder is on the disk. */
export async function syncFolder(path) {
    const handle = await open(path, 'r');
    try {
        await handle.sync();
    }
    finally {
        await handle.close();
    }
}
//# sourceMappingURL=folder.js.map