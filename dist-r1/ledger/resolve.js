/**
 * A person's decisions on rows in doubt: created, with the service's identifier, or not created. Each is recorded once, with who took it
 * and when, in the same script as the outcome; the same decision again changes nothing, another one is answered with the earlier.
 */
import { z } from 'zod';
import { IDENTITY } from '../model/operation.js';
import { resolutionSchema } from '../model/resolution.js';
import { identityPlace } from './keys.js';
import { RESOLVE } from './lua/rows.js';
import { settledMark } from './mark.js';
import { readDoubts } from './run-view.js';
import { script } from './script.js';
const resolve = script(RESOLVE, z.array(z.string()));
/** Rows of one script call: it holds Redis up for a few milliseconds. */
const MAX_BATCH = 200;
const OTHERWISE = 'otherwise ';
/** Settles rows in doubt as decided; the same decisions again change nothing. Answers in the order given. */
export async function resolveRows(redis, keys, options) {
    const resolved = [];
    for (const batch of batchesOf(options.decisions)) {
        const doubts = await readDoubts(redis, keys.run(options.run.id), batch.map(({ row }) => row));
        const entries = batch.map((one) => resolveEntry(keys, options, { ...one, doubt: doubts.get(one.row) ?? null }));
        const answers = await call(redis, keys, options.run, entries);
        resolved.push(...batch.map(({ row }, i) => parseAnswer(row, answers[i] ?? '')));
    }
    return resolved;
}
/** Replaces what is said of rows that stay in doubt, where they still are. */
export async function noteDoubts(redis, keys, options) {
    for (const batch of batchesOf(options.notes)) {
        await call(redis, keys, options.run, batch.map(noteEntry));
    }
}
function call(redis, keys, run, entries) {
    const k = keys.run(run.id);
    const names = [k.record, k.chunk, k.blocks, k.late, k.doubts, k.sources, k.resolutions];
    return resolve(redis, names, [run.id, JSON.stringify(entries)]);
}
function parseAnswer(row, answer) {
    if (answer === 'resolved' || answer === 'unchanged')
        return { row, kind: answer };
    if (!answer.startsWith(OTHERWISE))
        return { row, kind: 'not-in-doubt' };
    const earlier = resolutionSchema.parse(JSON.parse(answer.slice(OTHERWISE.length)));
    return { row, kind: 'otherwise', earlier };
}
function* batchesOf(items) {
    for (let at = 0; at < items.length; at += MAX_BATCH)
        yield items.slice(at, at + MAX_BATCH);
}
/** What the script needs for one decision; `doubt`: the row as it stands, `null` where it is not in doubt. */
export function resolveEntry(keys, { run, by, at }, { row, decision, doubt }) {
    const created = decision.kind === 'created';
    const id = created ? decision.id : '';
    const resolution = {
        decision: decision.kind,
        id,
        by,
        at: at.toISOString(),
        was: doubt?.code ?? '',
    };
    const settled = doubt === null ? null : settledAs(run, doubt, resolution);
    const place = doubt === null ? null : placeOf(keys, run, doubt);
    return [
        String(row),
        settled?.outcome ?? '',
        settled === null ? '' : settledMark(settled),
        place?.bucket ?? '',
        place?.digest ?? '',
        created ? 'k' : 'x',
        id,
        JSON.stringify(resolution),
        created ? 1 : 0,
    ];
}
/** What is known of the sending stays: key, line, status, attempts, duration. */
function settledAs(run, doubt, { decision, id, by, at }) {
    const created = decision === 'created';
    return {
        ...doubt,
        outcome: created ? (run.operation === 'counterparty.draft' ? 'drafted' : 'created') : 'failed',
        id,
        code: created ? 'resolved' : 'not_created',
        message: `resolved as ${created ? 'created' : 'not created'} by ${by} at ${at}`,
    };
}
/** A row without a key is known by its place in the file. */
function placeOf(keys, run, { key, row }) {
    const space = IDENTITY[run.operation];
    return space === null
        ? null
        : identityPlace(keys, { space, key: key === '' ? `${run.sha256}:${row}` : key });
}
/** What the script needs to say more of a row that stays in doubt. */
function noteEntry(settlement) {
    return [String(settlement.row), 'in-doubt', settledMark(settlement), '', '', '', '', '', 0];
}
/** Whether two rows of a run are one record: a key that is not that of a group is only ever one row's. */
export function isOneRecord(a, b) {
    return a.row === b.row || (a.key !== '' && a.key === b.key);
}
//# sourceMappingURL=resolve.js.map