/**
 * Puts back into the ledger what Redis has lost, from a journal: records of runs, outcomes, intents with their keys' claims. Each step may
 * be done twice, in parts, and on a ledger that has lost nothing: what is newer there stays.
 */
import { z } from 'zod';
import { recordKeys } from './exchange.js';
import { SUSPECT } from './lua/epoch.js';
import { ADDED, REPLAY_INTENT, RESTORE } from './lua/replay.js';
import { REPLAY_SETTLED } from './lua/rows.js';
import { INPUT_TTL_SECONDS } from './reruns.js';
import { script } from './script.js';
import { answeredLongAgo } from './settle-entry.js';
const restore = script(RESTORE, z.number());
const added = script(ADDED, z.number());
const settle = script(REPLAY_SETTLED, z.array(z.number()));
const suspect = script(SUSPECT, z.number());
const replayIntent = script(REPLAY_INTENT, z.number());
const MAX_BATCH = 200;
/** Fields that count the run's rows: counted anew when their outcomes are put back. */
const COUNTED = /^(o:|closedChunks$|finishedAt$|reason$)/;
export function createReplay(redis, keys) {
    return {
        async run(run, fields) {
            const file = fields.registry ?? `${fields.sha256 ?? ''}:${fields.job ?? ''}`;
            const createdAt = fields.createdAt ?? '';
            const prefix = keys.run('').record;
            const head = [run, Date.parse(createdAt), file, fields.state ?? '', prefix, createdAt];
            const { record, input } = keys.run(run);
            await restore(redis, [record, keys.runs, keys.files], [...head, ...Object.entries(fields).flat()]);
            // A Redis that went back to before the registration would let what it has of the rows go.
            if (fields.registry !== undefined)
                await redis.expire(input, INPUT_TTL_SECONDS);
        },
        async added(run, chunk, worker) {
            await added(redis, [keys.run(run).record], [chunk, worker]);
        },
        async settled(run, entries) {
            for (const batch of batches(entries)) {
                await settle(redis, recordKeys(keys, run), [run, JSON.stringify(batch.map(answeredLongAgo))]);
            }
        },
        async intended(run, rows) {
            const k = keys.run(run);
            for (const batch of batches(rows)) {
                await replayIntent(redis, [k.chunk, k.blocks], [run, ...batch.flat()]);
            }
        },
        async suspect(runs, workers) {
            for (const run of runs)
                await suspect(redis, [keys.run(run).record], workers);
        },
    };
}
/** A run's record as it is to be put back: it runs, unless it was cancelled, and nothing of it is counted yet. */
export function restorableFields(record) {
    const kept = Object.entries(record).filter(([name]) => !COUNTED.test(name));
    const state = record.state === 'cancelled' ? 'cancelled' : 'running';
    return { ...Object.fromEntries(kept), state, reason: '' };
}
function batches(items) {
    const count = Math.ceil(items.length / MAX_BATCH);
    return Array.from({ length: count }, (_, i) => items.slice(i * MAX_BATCH, (i + 1) * MAX_BATCH));
}
//# sourceMappingURL=replay.js.map