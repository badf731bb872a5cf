/**
 * What the ledger holds of a run, read for its report, for reruns and for `resolve`: settlements chunk by chunk, open or closed, and what
 * is kept of the rows that did not succeed. Memory does not grow with the run.
 */
import { rowSchema } from '../model/row.js';
import { chunksOf } from '../model/run.js';
import { unpackBody } from '../model/settlement.js';
import { parseSettlement, unpackBlock } from './mark.js';
import { readFields, settlementsOf } from './open-chunk.js';
const CHUNKS_AT_ONCE = 16;
/** The view that reports and reruns are written from. */
export function createRunView(redis, keys, run) {
    const k = keys.run(run.id);
    return {
        settlements: () => readSettlements(redis, k, chunksOf(run)),
        async sources(rows) {
            const texts = await readRows(redis, k.sources, rows);
            return new Map([...texts].map(([row, text]) => [row, rowSchema.parse(JSON.parse(text))]));
        },
        async bodies(rows) {
            const packed = await readRows(redis, k.bodies, rows);
            return new Map([...packed].map(([row, text]) => [row, unpackBody(text)]));
        },
        documents: (rows) => readRows(redis, k.documents, rows),
    };
}
async function* readSettlements(redis, k, chunks) {
    for (let first = 1; first <= chunks; first += CHUNKS_AT_ONCE) {
        const numbers = Array.from({ length: Math.min(CHUNKS_AT_ONCE, chunks - first + 1) }, (_, i) => first + i);
        for (const settlements of await settlementsOfChunks(redis, k, numbers))
            yield settlements;
    }
}
/** Settlements of each of the chunks, open or closed, as they stand now; rows without an outcome yet are absent. */
export async function settlementsOfChunks(redis, k, chunks) {
    const batch = await Promise.all(chunks.map((n) => readChunk(redis, k, n)));
    const late = await readRows(redis, k.late, doubtful(batch));
    return batch.map((settlements) => settlements.map((s) => replaced(s, late)));
}
/** A chunk that is closed between the two look-ups is found at the second look at its block. */
async function readChunk(redis, k, chunk) {
    const block = await redis.hgetBuffer(k.blocks, String(chunk));
    if (block !== null)
        return unpackBlock(block);
    const fields = await redis.hgetall(`${k.chunk}${chunk}`);
    const closed = await redis.hgetBuffer(k.blocks, String(chunk));
    if (closed !== null)
        return unpackBlock(closed);
    return settlementsOf(readFields(Object.entries(fields)).marks);
}
function doubtful(batch) {
    return batch.flat().flatMap((s) => (s.outcome === 'in-doubt' ? [s.row] : []));
}
function replaced(settlement, late) {
    const text = late.get(settlement.row);
    return text === undefined ? settlement : parseSettlement(text);
}
async function readRows(redis, key, rows) {
    if (rows.length === 0)
        return new Map();
    const values = await redis.hmget(key, ...rows.map(String));
    return new Map(rows.flatMap((row, i) => {
        const value = values[i];
        return value === null || value === undefined ? [] : [[row, value]];
    }));
}
/** Numbers of all rows in doubt, in row order. */
export async function rowsInDoubt(redis, k) {
    return (await redis.hkeys(k.doubts)).map(Number).sort((a, b) => a - b);
}
/** Settlements of those of the rows that are in doubt, by row number. */
export async function readDoubts(redis, k, rows) {
    if (rows.length === 0)
        return new Map();
    const chunks = await redis.hmget(k.doubts, ...rows.map(String));
    const numbers = new Set(chunks.flatMap((chunk) => (chunk === null ? [] : [Number(chunk)])));
    const asked = new Set(rows);
    const settlements = (await settlementsOfChunks(redis, k, [...numbers])).flat();
    return new Map(settlements.filter((s) => s.outcome === 'in-doubt' && asked.has(s.row)).map((s) => [s.row, s]));
}
//# sourceMappingURL=run-view.js.map