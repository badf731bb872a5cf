import { UsageError } from '../lib/usage-error.js';
import { createGroupEnd } from '../model/row-group.js';
import { isTable } from '../model/source.js';
import { openRows } from './rows.js';
/** For whoever reads a file without a run: enough rows at once that their handling costs little. */
const BATCHES = { chunkRows: 500, chunkEnds: null };
/**
 * A file's rows as a stream of chunks. `source` is what the survey found out; UsageError where the file is another one now.
 * The file is closed when the consumer stops.
 */
export async function* readChunks(path, source, format, cuts = BATCHES) {
    const batches = openRows(path, decodingOf(source), formatOf(source, format));
    yield* inChunks(checked(batches, path, source), cuts);
}
/** How the survey read the bytes, which holds for the whole run. */
function decodingOf({ type, compression, encoding, notes }) {
    const text = compression === 'gzip' ? 'gzip' : 'plain';
    return { container: type === 'xlsx' ? 'workbook' : text, encoding, notes };
}
function formatOf(source, format) {
    const sheet = source.sheet === null ? {} : { sheet: source.sheet };
    const { type, encoding } = source;
    return { ...format, type, encoding, delimiter: source.delimiter ?? format.delimiter, ...sheet };
}
async function* checked(batches, path, source) {
    for await (const batch of batches) {
        if (!isSame(source, batch.source)) {
            throw new UsageError(`${path}: is not the file it was when it was read first: expected the same header; put the first file back, or start again with this one`);
        }
        yield batch.rows;
    }
}
function isSame(source, found) {
    if (source.type !== found.type)
        return false;
    return !isTable(source) || (source.headerLine === found.headerLine && hasColumns(found, source.columns));
}
function hasColumns(source, columns) {
    return source.columns.length === columns.length && source.columns.every((name, i) => name === columns[i]);
}
async function* inChunks(batches, cuts) {
    let rest = [];
    let n = 1;
    for await (const batch of batches) {
        const rows = rest.length === 0 ? batch : [...rest, ...batch];
        let at = 0;
        for (let size = sizeOf(n, cuts); rows.length - at >= size; size = sizeOf(n, cuts)) {
            yield { n, rows: rows.slice(at, at + size) };
            at += size;
            n += 1;
        }
        rest = rows.slice(at);
    }
    if (rest.length > 0)
        yield { n, rows: rest };
}
/** How many rows the chunk has. A file that has grown has rows behind the last end: they make a chunk too many, which the caller finds. */
function sizeOf(n, { chunkRows, chunkEnds }) {
    const end = chunkEnds?.[n - 1];
    return end === undefined ? chunkRows : end - (chunkEnds?.[n - 2] ?? 0);
}
/** Tells, asked for the rows in file order, whether a chunk that has `size` rows so far ends before the row. */
export function createCut(cutting) {
    const { chunkRows, firstRows, keyOf } = cutting;
    const mayEndBefore = keyOf === null ? () => true : createGroupEnd(keyOf);
    let least = firstRows ?? chunkRows;
    return (row, size) => {
        const ends = mayEndBefore(row, size) && size >= least;
        if (ends)
            least = chunkRows;
        return ends;
    };
}
/** The number of rows up to the end of each chunk, for rows that are not grouped: known without reading the file. */
export function evenEnds(rows, { chunkRows, firstRows }) {
    const ends = [];
    for (let end = firstRows ?? chunkRows; end < rows; end += chunkRows)
        ends.push(end);
    return rows === 0 ? ends : [...ends, rows];
}
/** The number of rows up to the end of each chunk, for a run whose rows are grouped. */
export async function chunkEndsOf(batches, cutting) {
    const endsBefore = createCut(cutting);
    const ends = [];
    let read = 0;
    for await (const { rows } of batches) {
        for (const row of rows) {
            const before = ends.at(-1) ?? 0;
            if (endsBefore(row, read - before))
                ends.push(read);
            read += 1;
        }
    }
    return read === 0 ? ends : [...ends, read];
}
//# sourceMappingURL=chunks.js.map