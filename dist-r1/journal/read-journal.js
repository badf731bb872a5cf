/**
 * A journal read back, to be put into a ledger that has lost something; its process may go on writing meanwhile. A line that is damaged or
 * unknown is left out and told of: such a journal is not whole. The torn last line of a crash is left out silently. Memory grows with the rows of the raw segments, of one
 * archive, and with rows whose intents or ends cross from one segment to the next, not with the journal.
 */
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { decodeLine, isTorn, JOURNAL_VERSION, versionOf, } from './record.js';
import { dropEmptyRows, emptyFold, fold, outlivesDoubt, residueOf, rowKey, } from './row-fold.js';
import { segmentName } from './segments.js';
/**
 * Replays one worker's journal; also while its process goes on writing. The last word on a row holds: intents that
 * were neither withdrawn nor brought to an end, in their order, else its last settle entry, else nothing. Archives are read twice. In
 * memory: the rows of the raw segments, of one archive, and those whose intents or ends cross from one to the next.
 */
export async function* readJournal(folder, worker, onDamage = () => { }) {
    const path = join(folder, worker);
    const folded = emptyFold();
    const archives = [];
    for (const segment of await segmentsOf(path)) {
        const read = await foldSegment(folded, path, { segment, onDamage });
        if (read.form === 'gz')
            archives.push(read);
        dropEmptyRows(folded);
    }
    yield* runsOf(folded);
    for (const archive of archives)
        yield* archivedEntries(folded, path, archive);
    yield* rowsLeft(folded);
}
/** None where the journal was removed. */
async function segmentsOf(path) {
    try {
        return await listSegments(path);
    }
    catch (error) {
        if (isMissing(error))
            return [];
        throw error;
    }
}
/** Answers what was read: a raw segment may have become an archive meanwhile. */
async function foldSegment(into, path, { segment, onDamage }) {
    try {
        if (segment.form === 'gz') {
            const archived = await foldOf(path, segment, onDamage);
            for (const record of residueOf(archived))
                fold(into, record, segment.number);
        }
        else {
            for await (const record of readRecords(path, segment, onDamage))
                fold(into, record, segment.number);
        }
        return segment;
    }
    catch (error) {
        if (!isMissing(error))
            throw error;
        const archive = { number: segment.number, form: 'gz' };
        return segment.form === 'gz' ? segment : foldSegment(into, path, { segment: archive, onDamage });
    }
}
async function foldOf(path, segment, onDamage) {
    const folded = emptyFold();
    for await (const record of readRecords(path, segment, onDamage))
        fold(folded, record, segment.number);
    return folded;
}
/** A segment is deleted when all of its runs are forgotten. */
function isMissing(error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
function* runsOf({ runs }) {
    for (const [run, { target, fields }] of runs) {
        if (fields !== null)
            yield { kind: 'run', run, target, fields };
    }
    for (const [run, { added }] of runs)
        if (added > 0)
            yield { kind: 'added', run, chunk: added };
}
async function* archivedEntries(into, path, archive) {
    const { runs } = await archivedAgain(path, archive);
    for (const [run, { rows }] of runs) {
        if ((into.forgotten.get(run) ?? 0) > archive.number)
            continue;
        const open = into.runs.get(run)?.rows;
        const entries = [...rows.values()].flatMap(({ entry }) => entry !== null && isLastWord(open, entry, archive.number) ? [entry] : []);
        for (const batch of batches(entries))
            yield { kind: 'settled', run, entries: batch };
    }
}
/** Damage was told of the first time. */
async function archivedAgain(path, archive) {
    try {
        return await foldOf(path, archive, () => { });
    }
    catch (error) {
        if (!isMissing(error))
            throw error;
        return emptyFold();
    }
}
/** Also takes from the row what came before the entry. */
function isLastWord(rows, entry, at) {
    const [chunk, number] = entry;
    const row = rows?.get(rowKey(chunk, number));
    if (row === undefined)
        return true;
    if (row.endedAt > at && !outlivesDoubt(entry, row.entry))
        return false;
    row.entry = null;
    for (const [mark, intent] of row.open)
        if (intent.at < at)
            row.open.delete(mark);
    return row.open.size === 0;
}
function* rowsLeft({ runs }) {
    for (const [run, { rows }] of runs) {
        const settled = [...rows.values()].flatMap(({ entry, open }) => entry === null || open.size > 0 ? [] : [entry]);
        for (const entries of batches(settled))
            yield { kind: 'settled', run, entries };
    }
    for (const [run, { rows }] of runs) {
        // The last one stands, but for those that the reader leaves out.
        const intended = [...rows.values()].flatMap(({ open }) => [...open.values()].map(({ intent }) => intent));
        for (const batch of batches(intended))
            yield { kind: 'intended', run, rows: batch };
    }
}
const BATCH = 200;
function* batches(items) {
    for (let i = 0; i < items.length; i += BATCH)
        yield items.slice(i, i + BATCH);
}
const SEGMENT = /^(\d{6,})\.(log|gz)$/;
/** A worker's segments by their numbers; where both forms are there, the process died between making one and removing the other. */
async function listSegments(folder) {
    const segments = new Map();
    for (const name of await readdir(folder)) {
        const [, digits, form] = SEGMENT.exec(name) ?? [];
        const number = Number(digits);
        if (form === 'gz' || (form === 'log' && !segments.has(number)))
            segments.set(number, { number, form });
    }
    return [...segments.values()].sort((a, b) => a.number - b.number);
}
/**
 * The records of a segment; whatever else is in it is told, but for the torn last line of a crash. A segment of another version has none
 * that this program knows. Throws ENOENT where there is no such file.
 */
async function* readRecords(folder, segment, onDamage) {
    const file = join(folder, segmentName(segment.number, segment.form));
    let line = 0;
    for await (const next of linesOf(file, segment.form)) {
        line += 1;
        const read = line === 1 ? readHead(next) : (decodeLine(next.text) ?? damageOf(next));
        if (typeof read === 'object')
            yield read;
        else if (read === 'damaged' || read === 'foreign')
            onDamage({ file, line });
        if (read === 'foreign')
            return;
    }
}
function readHead(line) {
    const version = versionOf(line.text);
    if (version === null)
        return damageOf(line);
    return version === JOURNAL_VERSION ? 'head' : 'foreign';
}
function damageOf({ text, isEnded }) {
    return !isEnded && isTorn(text) ? 'torn' : 'damaged';
}
/** What form a journal has, in words, where it is not the one that this program reads. */
export async function foreignForm(folder, worker) {
    const path = join(folder, worker);
    const [first] = await segmentsOf(path);
    const version = first === undefined ? null : await firstVersion(path, first);
    if (version === null || version === JOURNAL_VERSION)
        return null;
    const form = version === 0 ? 'an older form, without a version' : `form ${version}`;
    return `${form}; this version of onboard knows form ${JOURNAL_VERSION} alone`;
}
/** `null` where there is no first line, or none that can be read. */
async function firstVersion(path, { number, form }) {
    try {
        for await (const { text } of linesOf(join(path, segmentName(number, form)), form))
            return versionOf(text);
        return null;
    }
    catch (error) {
        // Its process may be about to archive or to remove it.
        if (isMissing(error))
            return null;
        throw error;
    }
}
const NO_RECORD = { text: '', isEnded: true };
/** Of an archive also where it ends too soon: as a line that holds nothing. */
async function* linesOf(file, form) {
    let rest = '';
    let isEmpty = true;
    try {
        for await (const piece of textOf(file, form)) {
            const lines = `${rest}${piece}`.split('\n');
            rest = lines.pop() ?? '';
            isEmpty = false;
            for (const text of lines)
                yield { text, isEnded: true };
        }
    }
    catch (error) {
        if (!isDamagedArchive(error))
            throw error;
        yield NO_RECORD;
        return;
    }
    if (rest !== '')
        yield { text: rest, isEnded: false };
    if (isEmpty && form === 'gz')
        yield NO_RECORD;
}
async function* textOf(file, form) {
    const source = createReadStream(file);
    const stream = form === 'log' ? source : unzipped(source);
    stream.setEncoding('utf8');
    try {
        for await (const piece of stream)
            yield String(piece);
    }
    finally {
        source.destroy();
        stream.destroy();
    }
}
function unzipped(source) {
    const gunzip = createGunzip();
    source.on('error', (error) => gunzip.destroy(error));
    return source.pipe(gunzip);
}
/** An archive was whole on the disk before it took its name: what zlib refuses was damaged since. */
function isDamagedArchive(error) {
    return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}
//# sourceMappingURL=read-journal.js.map