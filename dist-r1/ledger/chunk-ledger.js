/**
 * One run's rows in Redis, for those who deliver them: a chunk is taken, its rows are intended, settled, put back, and the chunk is
 * closed. Each step is one script, a compare-and-set on the rows' marks (lua/rows.ts), and runs only in an open epoch; each is noted in
 * this process' journal as well, so that a Redis that forgets can be put right. What is asked for in one turn of the event loop travels
 * in one command.
 */
import { z } from 'zod';
import { tickBatch } from '../lib/tick-batch.js';
import { inEpoch } from './epoch.js';
import { exchangeRows, withdrawRows, } from './exchange.js';
import { parseKeyState } from './key-claims.js';
import { fieldsPlace, identityPlace } from './keys.js';
import { LOOK_UP } from './lua/keys.js';
import { UNSETTLE } from './lua/rows.js';
import { RESERVE } from './lua/runs.js';
import { createChunkClosing, createChunkMemory, readChunk } from './open-chunk.js';
import { recordedRow, settleEntry } from './settle-entry.js';
const MAX_BATCH = 200;
const NONE = [];
const lookUp = inEpoch(LOOK_UP, z.array(z.string()));
const unsettle = inEpoch(UNSETTLE, z.array(z.number()));
export function createChunkLedger(options) {
    const { epoch, keys, journal, run } = options;
    const k = keys.run(run.id);
    const edges = { epoch, keys, journal, run: run.id, probeMs: options.probeMs };
    const memory = createChunkMemory();
    const closeChunk = createChunkClosing({ epoch, keys, run, memory, now: options.now });
    const exchange = async ({ ended = NONE, isFirst = true, ranges = NONE, next = NONE, }) => {
        const recovery = epoch.recoveries();
        const { recorded, ...answers } = await exchangeRows({ ended, isFirst, ranges, next }, edges);
        for (const entry of recorded)
            if (entry !== null)
                memory.recorded(recordedRow(entry), recovery);
        return { ...answers, recorded: recorded.map((entry) => entry !== null) };
    };
    const intendAll = async (next) => (await exchange({ next })).granted;
    const settleAll = async (rows, isFirst = true) => {
        const recorded = [];
        for (const ended of bounded(rows))
            recorded.push(...(await exchange({ ended, isFirst })).recorded);
        return recorded;
    };
    return {
        async take(chunk, rows) {
            memory.forget(chunk);
            return (await readChunk(chunk, rows, edges)).taken;
        },
        readKey: tickBatch(async (places) => {
            const found = places.map((place) => identityPlace(keys, place));
            return (await epoch.call(lookUp, [], placeArguments(found))).map(parseKeyState);
        }, MAX_BATCH),
        readFields: tickBatch(async (places) => {
            const found = places.map((place) => fieldsPlace(keys, place));
            return epoch.call(lookUp, [], placeArguments(found));
        }, MAX_BATCH),
        async exchange(rows) {
            const { ended = NONE, ...next } = rows;
            if (bounded(ended).length === 1)
                return exchange(rows);
            const recorded = await settleAll(ended);
            return { ...(await exchange(next)), recorded };
        },
        intend: tickBatch(intendAll, MAX_BATCH),
        withdraw: tickBatch((rows) => withdrawRows(rows, edges), MAX_BATCH),
        withdrawAll: (rows) => withdrawRows(rows, edges),
        settle: tickBatch((rows) => settleAll(rows, false), MAX_BATCH),
        settleAll: (rows) => settleAll(rows),
        async unsettle(rows, reason) {
            for (const { chunk } of rows)
                memory.forget(chunk);
            const entries = rows.flatMap((row) => {
                const [chunk, number, outcome, settlement, bucket, digest] = settleEntry(keys, row);
                return [chunk, number, settlement, outcome, bucket, digest];
            });
            journal.note({
                kind: 'unsettled',
                run: run.id,
                rows: rows.map((row) => [row.chunk, row.settlement.row]),
            });
            await epoch.call(unsettle, [k.record, k.chunk, k.sources, k.bodies], [run.id, reason, ...entries]);
        },
        close: closeChunk,
        reserve: (times, intervalMs) => reserveTimes(epoch, k.rate, { times, intervalMs }),
    };
}
/** Of what is kept of rows, in characters, in one command and one line of the journal: each is held several times over on its way. */
const MAX_KEPT = 1024 * 1024;
/** Batches of about that size at most; the rows of a group stay together, and are recorded in one step. */
function bounded(rows) {
    const kept = rows.map(({ source, body, documents }) => source.length + body.length + documents.length);
    if (kept.reduce((sum, one) => sum + one, 0) <= MAX_KEPT)
        return [rows];
    const batches = [];
    let batch = [];
    let size = 0;
    for (const [i, row] of rows.entries()) {
        size += kept[i] ?? 0;
        if (batch.length > 0 && size > MAX_KEPT && row.lead === null) {
            batches.push(batch);
            batch = [];
            size = kept[i] ?? 0;
        }
        batch.push(row);
    }
    return [...batches, batch];
}
function placeArguments(places) {
    return places.flatMap(({ bucket, digest }) => [bucket, digest]);
}
/** No time is given that is farther off: those of a worker that is killed are lost. */
export const AHEAD_MS = 20;
/** As much of a moment in which nobody asked is made up for: a twenty-fifth of what goes in a second. */
const BEHIND_MS = 40;
const reserve = inEpoch(RESERVE, z.tuple([z.coerce.number(), z.coerce.number()]));
/** Asks for as many times as `times` on the time line at `key`, `intervalMs` apart over all workers together. */
export async function reserveTimes(epoch, key, { times, intervalMs }) {
    const args = [times, intervalMs * 1000, AHEAD_MS * 1000, BEHIND_MS * 1000];
    const [given, microseconds] = await epoch.call(reserve, [key], args);
    return { times: given, inMs: microseconds / 1000 };
}
//# sourceMappingURL=chunk-ledger.js.map