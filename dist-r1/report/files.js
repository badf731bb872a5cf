/**
 * A report's folder and the files in it. Files are written under temporary names and take their own only once all of
 * them are whole and on the disk, so whoever looks finds the report before or the report after, never half of one. A
 * folder with another run's report, or with files that somebody might miss, is refused.
 */
import { randomBytes } from 'node:crypto';
import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { insteadOf } from '../lib/errors.js';
import { makeFolder } from '../lib/make-folder.js';
import { UsageError } from '../lib/usage-error.js';
import { REMAINDERS } from './remainder.js';
/** The report's own files. Files that an earlier writing left and the latest has not are removed by name. */
export const SUMMARY_FILE = 'summary.json';
export const RESULTS_FILE = 'results.csv';
export const REJECTIONS_FILE = 'rejections.jsonl';
export const DOCUMENTS_FILE = 'documents.jsonl';
const REMAINDER_FILES = REMAINDERS.flatMap((kind) => [`${kind}.csv`, `${kind}.ndjson`]);
const OCCASIONAL_FILES = [...REMAINDER_FILES, REJECTIONS_FILE, DOCUMENTS_FILE];
/**
 * Makes the directory, for its owner alone, and tells whether it has a summary of that run already.
 * Throws a UsageError where it holds another run's report, or files that this report would replace.
 */
export async function claimReportDirectory(directory, run) {
    await makeFolder(directory);
    const text = await readFile(join(directory, SUMMARY_FILE), 'utf8').catch(insteadOf('ENOENT', null));
    if (text === null) {
        await refuseForeignFiles(directory);
        return { hasSummary: false };
    }
    const found = runOf(text);
    if (found !== run) {
        throw new UsageError(`${join(directory, SUMMARY_FILE)} belongs to ${found === null ? 'something else' : `run ${found}`}: ` +
            `expected an empty folder or the report of run ${run}. Name another folder with --out.`);
    }
    return { hasSummary: true };
}
/** Without a summary nothing says whose the files are: a person's own `failed.csv` must not be replaced. */
async function refuseForeignFiles(directory) {
    const foreign = (await readdir(directory)).filter((name) => REMAINDER_FILES.includes(name));
    if (foreign.length === 0)
        return;
    throw new UsageError(`${directory} has ${foreign.join(', ')}, but no ${SUMMARY_FILE} that says of which run: ` +
        'writing the report there would replace them. Move them away, or name another folder with --out.');
}
function runOf(text) {
    try {
        return summaryRunSchema.parse(JSON.parse(text)).run;
    }
    catch {
        return null;
    }
}
const summaryRunSchema = z.looseObject({ run: z.string() });
/** Removes the unfinished files of writers that were killed: they hold personal data. */
export async function removeLeftOvers(directory, now) {
    for (const name of (await readdir(directory)).filter(isTemporaryName)) {
        const path = join(directory, name);
        const found = await stat(path).catch(() => null);
        if (found !== null && now.getTime() - found.mtimeMs > LEFT_OVER_AFTER_MS)
            await rm(path, { force: true });
    }
}
/** The age of an unfinished file whose writer was killed: a living writer touches its files far more often than this. */
const LEFT_OVER_AFTER_MS = 3_600_000;
/** `keep`: names of older files that are neither written nor removed. */
export function createPendingReport(directory, keep = []) {
    const claims = [];
    const files = new Map();
    const fileOf = async (name) => {
        const known = files.get(name);
        if (known !== undefined)
            return known;
        const file = await openPendingFile(directory, name);
        files.set(name, file);
        return file;
    };
    return {
        append: async (name, text) => {
            if (!keep.includes(name))
                await (await fileOf(name)).append(text);
        },
        claim: async (name, text) => {
            const file = await openPendingFile(directory, name);
            claims.push(file);
            await file.append(text);
        },
        names: () => [...files.keys()],
        publish: async () => {
            const inOrder = [...claims, ...files.values()];
            for (const file of inOrder)
                await file.seal();
            for (const file of inOrder)
                await file.publish();
            await removeStaleFiles(directory, new Set([...files.keys(), ...keep]));
            await syncDirectory(directory);
        },
        discard: async () => {
            await Promise.allSettled([...claims, ...files.values()].map((file) => file.discard()));
        },
    };
}
/** Removes report files that the latest writing did not write. */
async function removeStaleFiles(directory, written) {
    for (const name of OCCASIONAL_FILES) {
        if (!written.has(name))
            await rm(join(directory, name), { force: true });
    }
}
/** A rename outlives a power cut only once its directory is on the disk. */
async function syncDirectory(directory) {
    const handle = await open(directory, 'r');
    try {
        await handle.sync();
    }
    finally {
        await handle.close();
    }
}
/** Opens a file for its owner alone, under a temporary name in the same directory. */
export async function openPendingFile(directory, name) {
    const temporary = join(directory, `.${name}.${randomBytes(6).toString('hex')}${SUFFIX}`);
    const handle = await open(temporary, 'wx', 0o600);
    let buffered = '';
    const flush = async () => {
        const text = buffered;
        buffered = '';
        if (text !== '')
            await handle.appendFile(text, 'utf8');
    };
    return {
        append: async (text) => {
            buffered += text;
            if (buffered.length >= BUFFER_CHARACTERS)
                await flush();
        },
        seal: async () => {
            await flush();
            await handle.sync();
            await handle.close();
        },
        publish: () => rename(temporary, join(directory, name)),
        discard: async () => {
            await handle.close();
            await rm(temporary, { force: true });
        },
    };
}
const BUFFER_CHARACTERS = 65_536;
const SUFFIX = '.tmp';
/** Whether a file of that name is an unfinished one of this module's. */
function isTemporaryName(fileName) {
    return /^\..+\.[0-9a-f]{12}\.tmp$/.test(fileName);
}
//# sourceMappingURL=files.js.map