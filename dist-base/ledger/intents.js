/**
 * Intents: the durable sign that a row is about to be sent. An intent is granted only when it is in Redis (so that another worker sees
 * it) and on this machine's disk (so that it survives a Redis that forgets), and withdrawn only where it is proven that nothing was
 * received. Whatever fails half-way is noted as withdrawn: a replay must never take what was not granted for something that was sent.
 */
import { z } from 'zod';
import { groupAdjacent } from '../lib/batches.js';
import { messageOf } from '../lib/errors.js';
import { passStage } from '../lib/stage.js';
import { inEpoch } from './epoch.js';
import { fieldsPlace, identityPlace } from './keys.js';
import { INTEND, WITHDRAW } from './lua/rows.js';
import { sharedMark } from './mark.js';
import { withExceptions } from './script.js';
const intend = inEpoch(INTEND, z.array(z.string()));
const withdraw = inEpoch(WITHDRAW, z.array(z.number()));
/** Marks rows as about to be sent, in Redis and on the disk at once; granted only where it is in both. */
export async function intendRows(intents, edges) {
    passStage('intending', () => intents.map(({ row }) => row));
    const rows = intents.map((intent) => placedIntent(intent, edges.keys));
    // A replay of this process' journal meanwhile must not take what was never granted for something that was.
    const release = edges.epoch.hold(intents.map(({ mark }) => mark));
    try {
        const [granted, problem] = await Promise.all([
            passing('granted', intents, grant(rows, edges).catch((error) => refused(error, intents, edges))),
            passing('journaled', intents, journalIntents(rows, edges)),
        ]);
        noteIdle(granted, intents, edges);
        // Asked only now: whoever takes the home after this answer finds the intents there.
        const stop = problem ?? (await problemOfHome(edges));
        return stop === null ? granted : await withAllWithdrawn(granted, stop, { intents, edges });
    }
    finally {
        release();
    }
}
/** Takes intents back where nothing was received; answers which were still there. */
export async function withdrawRows(rows, edges) {
    const marks = rows.map(({ chunk, row, mark }) => [chunk, row, mark]);
    edges.journal.note({ kind: 'withdrawn', run: edges.run, rows: marks });
    const gone = await edges.epoch.call(withdraw, [edges.keys.run(edges.run).chunk, edges.keys.breaker], marks.flat());
    return gone.map((g) => g === 1);
}
async function grant(rows, edges) {
    const { epoch, keys, run, probeMs } = edges;
    const k = keys.run(run);
    const scriptKeys = [k.record, k.chunk, k.blocks, keys.breaker];
    const answers = await epoch.call(intend, scriptKeys, [run, probeMs, ...intendArguments(rows, keys)]);
    return withExceptions(answers, rows.length, { usual: GRANTED, parse: parseRefusal });
}
/** Nothing goes under an intent that Redis has refused: a replay must not think that it did. */
function refused(error, intents, edges) {
    noteWithdrawn(intents, edges);
    throw error;
}
function noteWithdrawn(intents, { journal, run }) {
    if (intents.length === 0)
        return;
    journal.note({
        kind: 'withdrawn',
        run,
        rows: intents.map(({ chunk, row, mark }) => [chunk, row, mark]),
    });
}
const LOST = 'another machine or container has taken ONBOARD_HOME';
/** `null`: the home is this machine's. Where that can't be told, nothing is sent. */
async function problemOfHome({ epoch }) {
    try {
        return (await epoch.isOurs()) ? null : LOST;
    }
    catch (error) {
        return messageOf(error);
    }
}
const GRANTED = { kind: 'granted' };
const HELD = /^held [a-z] (\S+) (\d+)/;
const WAIT = /^(wait|hold) (\d+)/;
function parseRefusal(answer) {
    if (answer === 'taken' || answer === 'halted')
        return { kind: answer };
    const [, by = '', row] = HELD.exec(answer) ?? [];
    if (row !== undefined)
        return { kind: 'held', by: { run: by, row: Number(row) } };
    const [, why, ms = '0'] = WAIT.exec(answer) ?? [];
    return { kind: 'wait', ms: Number(ms), isHold: why === 'hold' };
}
/** `null`, or what was wrong. */
async function journalIntents(placed, { journal, run }) {
    const rows = placed.map(({ intent, bucket, digest }) => [intent.chunk, intent.row, intent.mark, bucket, digest]);
    try {
        await journal.write({ kind: 'intended', run, rows });
        return null;
    }
    catch (error) {
        return messageOf(error);
    }
}
/** Rows that were not granted may be in the journal, even where writing it failed: a replay must not think that they went. */
function noteIdle(granted, intents, edges) {
    noteWithdrawn(intents.filter((_, i) => granted[i]?.kind !== 'granted'), edges);
}
async function withAllWithdrawn(granted, problem, { intents, edges }) {
    const marked = intents.filter((_, i) => granted[i]?.kind === 'granted');
    if (marked.length > 0)
        await withdrawRows(marked, edges);
    return granted.map((g) => (g.kind === 'granted' ? { kind: 'unwritten', problem } : g));
}
async function passing(stage, intents, work) {
    const result = await work;
    passStage(stage, () => intents.map(({ row }) => row));
    return result;
}
function placedIntent(intent, keys) {
    const { identity } = intent;
    const shared = sharedMark(intent.mark, intent.row);
    if (identity === null)
        return { intent, shared, bucket: '', digest: '' };
    const { bucket, digest } = identityPlace(keys, identity);
    return { intent, shared, bucket, digest };
}
/** ARGV of the script INTEND from its third on: what rows of one take of a chunk share is said once. */
function intendArguments(rows, keys) {
    const follows = rows.some(({ intent }) => intent.fields !== null);
    const args = [follows ? 1 : 0];
    for (const group of groupAdjacent(rows, areOfOneTake)) {
        const { intent: first, shared } = group[0];
        const { chunk, expected, repeatable } = first;
        args.push(chunk, shared.text, shared.isNumbered, expected, repeatable ? 1 : 0, group.length);
        for (const { intent, bucket, digest } of group) {
            args.push(intent.row, bucket, digest);
            if (follows)
                args.push(...fieldsArguments(intent, keys));
        }
    }
    return args;
}
function areOfOneTake({ intent: a, shared: x }, { intent: b, shared: y }) {
    const isOneMark = a.chunk === b.chunk && x.text === y.text && x.isNumbered === y.isNumbered;
    return isOneMark && a.expected === b.expected && a.repeatable === b.repeatable;
}
function fieldsArguments({ fields }, keys) {
    if (fields === null)
        return ['', '', '', ''];
    const { bucket, digest } = fieldsPlace(keys, fields);
    return [bucket, digest, fields.before, fields.own];
}
//# sourceMappingURL=intents.js.map