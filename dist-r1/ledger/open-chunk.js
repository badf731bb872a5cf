/**
 * An open chunk: how it looks to the worker that takes it, what this process remembers of it, and how it is closed, its rows' marks
 * becoming one block. A chunk closes only as it was read or remembered: the script CLOSE compares its version, which rises with every
 * outcome that is changed, so that no outcome recorded meanwhile is lost.
 */
import { z } from 'zod';
import { passStage } from '../lib/stage.js';
import { chunksOf, runStateSchema } from '../model/run.js';
import { inEpoch } from './epoch.js';
import { CLOSE, TAKE } from './lua/runs.js';
import { intentMark, packBlock, packBlockText, parseMark, parseSettlements, UNSENT_MARK, } from './mark.js';
const take = inEpoch(TAKE, z.tuple([z.string(), z.number(), z.number()]).rest(z.string()));
/** A chunk as it stands in the ledger; `rows`: the numbers of its rows. */
export async function readChunk(chunk, rows, { epoch, keys, run }) {
    const k = keys.run(run);
    const answer = await epoch.call(take, [k.record, `${k.chunk}${chunk}`, k.blocks], [chunk]);
    const [state, closed, suspect, ...fields] = answer;
    const pairs = [];
    for (let i = 0; i + 1 < fields.length; i += 2)
        pairs.push([fields[i] ?? '', fields[i + 1] ?? '']);
    const { marks, at, version } = readFields(pairs, rows);
    const known = runStateSchema.safeParse(state).data ?? null;
    return { taken: { state: known, closed: closed === 1, suspect: suspect === 1, marks, at }, version };
}
const AT = /^(\S+) (\d+) /;
/**
 * The hash of an open chunk (lua/open-chunk.ts): what stands on each row.
 * `rows`: the numbers of the chunk's rows; none: settlements alone are asked for.
 */
export function readFields(fields, rows = []) {
    const named = new Map(fields);
    const marks = new Map();
    for (const [name, text] of fields)
        if (name.startsWith('d'))
            addSettlements(marks, text);
    const apart = new Set();
    // A row's own mark goes before what was recorded of it in order.
    for (const [name, text] of fields) {
        const row = Number(name);
        if (Number.isNaN(row))
            continue;
        apart.add(row);
        if (text !== UNSENT_MARK)
            marks.set(row, parseMark(text));
    }
    const at = named.get('at') ?? '';
    const [, taker = '', last = '0'] = AT.exec(at) ?? [];
    for (const row of rows) {
        const isInOrder = row <= Number(last) && !apart.has(row) && !marks.has(row);
        if (isInOrder)
            marks.set(row, { kind: 'intent', text: intentMark(taker, row, 1) });
    }
    return { marks, at, version: named.get('v') ?? '0' };
}
function addSettlements(marks, text) {
    for (const settlement of parseSettlements(text))
        marks.set(settlement.row, { kind: 'settled', settlement });
}
/** In row order; rows that are not settled are left out. */
export function settlementsOf(marks) {
    const settled = [];
    for (const mark of marks.values())
        if (mark.kind === 'settled')
            settled.push(mark.settlement);
    return settled.sort((a, b) => a.row - b.row);
}
/** Chunks that were given back unsettled leave their rows here: no more chunks are remembered. */
const CHUNKS_KEPT = 256;
export function createChunkMemory() {
    const chunks = new Map();
    return {
        recorded({ chunk, row, mark }, recovery) {
            const known = chunks.get(chunk);
            if (known?.recovery === recovery)
                known.marks.set(row, mark);
            else
                chunks.set(chunk, { recovery, marks: new Map([[row, mark]]) });
            if (chunks.size > CHUNKS_KEPT)
                chunks.delete(chunks.keys().next().value ?? chunk);
        },
        forget: (chunk) => void chunks.delete(chunk),
        whole(chunk, rows, recovery) {
            const known = chunks.get(chunk);
            if (known?.recovery !== recovery || known.marks.size !== rows)
                return null;
            const ordered = [...known.marks].sort(([a], [b]) => a - b);
            return `[${ordered.map(([, mark]) => mark).join(',')}]`;
        },
    };
}
const close = inEpoch(CLOSE, z.number());
/** No chunk's version. */
const VOID = 'void';
/** Closes a chunk of which every row is settled; false where one is not. */
export function createChunkClosing(edges) {
    const { epoch, keys, run, memory, now } = edges;
    const k = keys.run(run.id);
    /** `recovery`: how often the ledger had been put back when that version was true. */
    const closeAs = async (chunk, { rows, version, block, recovery }) => {
        const keysOfClose = [k.record, `${k.chunk}${chunk}`, k.blocks];
        const answer = await epoch.call(close, keysOfClose, () => {
            const expected = epoch.recoveries() === recovery ? version : VOID;
            return [chunk, rows, expected, block, chunksOf(run), now().toISOString()];
        });
        return answer === 1;
    };
    /** Closes a chunk without reading it, where this process has settled all of it. */
    const closeWhole = async (chunk, rows) => {
        const recovery = epoch.recoveries();
        const whole = memory.whole(chunk, rows, recovery);
        memory.forget(chunk);
        if (whole === null)
            return false;
        return closeAs(chunk, { rows, version: '0', block: packBlockText(whole), recovery });
    };
    const closeAsRead = async (chunk, rows) => {
        for (;;) {
            const recovery = epoch.recoveries();
            const { taken, version } = await readChunk(chunk, [], { epoch, keys, run: run.id });
            if (taken.closed)
                return true;
            const settled = settlementsOf(taken.marks);
            if (settled.length !== rows)
                return false;
            if (await closeAs(chunk, { rows, version, block: packBlock(settled), recovery }))
                return true;
        }
    };
    return async (chunk, rows) => {
        passStage('closing', () => [], chunk);
        const isClosed = (await closeWhole(chunk, rows)) || (await closeAsRead(chunk, rows));
        if (isClosed)
            passStage('closed', () => [], chunk);
        return isClosed;
    };
}
//# sourceMappingURL=open-chunk.js.map