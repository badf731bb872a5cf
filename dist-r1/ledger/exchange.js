/**
 * The exchange of those who send with the ledger: what became of rows, and the intents of the next, in one command of Redis and one write of
 * the journal. An intent, the durable sign that a row is about to be sent, is granted only when it is in Redis (so that another worker
 * sees it) and on this machine's disk (so that it survives a Redis that forgets), and withdrawn only where it is proven that nothing was
 * received. Whatever fails half-way is noted as withdrawn: a replay must never take what was not granted for something that was sent.
 */
import { z } from 'zod';
import { groupAdjacent } from '../lib/batches.js';
import { messageOf } from '../lib/errors.js';
import { passStage } from '../lib/stage.js';
import { inEpoch } from './epoch.js';
import { fieldsPlace, identityPlace } from './keys.js';
import { EXCHANGE, WITHDRAW } from './lua/rows.js';
import { intentMark, sharedMark } from './mark.js';
import { withExceptions } from './script.js';
import { isUnsent, settleArguments, settleEntry } from './settle-entry.js';
const exchange = inEpoch(EXCHANGE, z.tuple([z.number()]).rest(z.union([z.number(), z.string()])));
const withdraw = inEpoch(WITHDRAW, z.array(z.number()));
/**
 * Records what ended, and marks the next rows as about to be sent, in Redis and on the disk at once; those are granted only where they
 * are in both. Rejects where Redis refuses: then nothing is granted, and what ended is to be recorded again.
 */
export async function exchangeRows(rows, edges) {
    const { ended, isFirst } = rows;
    const entries = ended.map((row) => settleEntry(edges.keys, row));
    const ends = () => ended.map(({ settlement }) => settlement.row);
    if (ended.length > 0)
        passStage('settling', ends);
    const [sure, unsent] = partedBySending(entries);
    noteSettled(sure, edges);
    const { args, order } = settleArguments(entries, isFirst);
    const { unrecorded, granted } = await granting(args, nextOf(rows, edges.keys), edges);
    if (ended.length > 0)
        passStage('settled', ends);
    const others = new Set(unrecorded.map((place) => order[place - 1]));
    noteSettled(unsent.filter((entry) => !others.has(entry)), edges);
    const inOrder = granted.length - rows.next.length;
    return {
        recorded: entries.map((entry) => (others.has(entry) ? null : entry)),
        granted: granted.slice(inOrder),
        ranged: granted.slice(0, inOrder),
    };
}
function nextOf({ ranges, next }, keys) {
    const placed = ranges.map((range) => placedRange(range, keys));
    const marked = [...placed.flatMap(({ rows }) => rows), ...next];
    return { ranges: placed, single: next.map((intent) => placedIntent(intent, keys)), marked };
}
function placedRange(range, keys) {
    const { chunk, taker } = range;
    const rows = range.rows.map(({ row, identity }) => {
        const { bucket, digest } = identity === null ? NOWHERE : identityPlace(keys, identity);
        return { chunk, row, mark: intentMark(taker, row, 1), bucket, digest };
    });
    return { range, rows };
}
const NOWHERE = { bucket: '', digest: '' };
async function granting(ended, next, edges) {
    const { marked } = next;
    if (marked.length === 0) {
        const [, ...places] = await send(ended, [], edges);
        return { unrecorded: places.map(Number), granted: [] };
    }
    passStage('intending', () => marked.map(({ row }) => row));
    // A replay of this process' journal meanwhile must not take what was never granted for something that was.
    const release = edges.epoch.hold(marked.map(({ mark }) => mark));
    try {
        const [{ unrecorded, granted }, problem] = await Promise.all([
            passing('granted', marked, grant(ended, next, edges).catch((error) => refused(error, marked, edges))),
            passing('journaled', marked, journalIntents(next, edges)),
        ]);
        noteIdle(granted, marked, edges);
        // Asked only now: whoever takes the home after this answer finds the intents there.
        const stop = problem ?? (await problemOfHome(edges));
        if (stop === null)
            return { unrecorded, granted };
        return { unrecorded, granted: await withAllWithdrawn(granted, stop, { marked, edges }) };
    }
    finally {
        release();
    }
}
const NONE = [];
/**
 * Ends of rows of which their settler has sent nothing are apart: the journal is told of them only when Redis has recorded them. Where
 * Redis has not, another worker sends the row, and a replay must not say that it failed. All other ends go to the journal first.
 */
function partedBySending(entries) {
    if (!entries.some(isUnsent))
        return [entries, NONE];
    return [entries.filter((entry) => !isUnsent(entry)), entries.filter(isUnsent)];
}
function noteSettled(entries, { journal, run }) {
    if (entries.length > 0)
        journal.note({ kind: 'settled', run, entries: JSON.stringify(entries) });
}
/** Takes intents back where nothing was received; answers which were still there. */
export async function withdrawRows(rows, edges) {
    const marks = rows.map(({ chunk, row, mark }) => [chunk, row, mark]);
    edges.journal.note({ kind: 'withdrawn', run: edges.run, rows: marks });
    const gone = await edges.epoch.call(withdraw, [edges.keys.run(edges.run).chunk, edges.keys.breaker], marks.flat());
    return gone.map((g) => g === 1);
}
async function grant(ended, next, edges) {
    const [count, ...words] = await send(ended, [edges.probeMs, ...nextArguments(next, edges.keys)], edges);
    const granted = withExceptions(words.slice(count).map(String), next.marked.length, {
        usual: GRANTED,
        parse: parseRefusal,
    });
    return { unrecorded: words.slice(0, count).map(Number), granted };
}
/** The script EXCHANGE with the arguments of what ended and of what is next. */
function send([others, ...groups], next, { epoch, keys, run }) {
    // The place of the last argument of what ended: three stand before its groups.
    const last = HEAD_ARGUMENTS + groups.length;
    return epoch.call(exchange, recordKeys(keys, run), [run, others ?? '[]', last, ...groups, ...next]);
}
/** Run, JSON, place. */
const HEAD_ARGUMENTS = 3;
/** KEYS of the scripts that record outcomes. */
export function recordKeys(keys, run) {
    const k = keys.run(run);
    return [
        k.record,
        k.chunk,
        k.blocks,
        k.late,
        k.doubts,
        k.sources,
        k.bodies,
        k.documents,
        keys.breaker,
        k.resolutions,
    ];
}
/** Nothing goes under an intent that Redis has refused: a replay must not think that it did. */
function refused(error, marked, edges) {
    noteWithdrawn(marked, edges);
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
    if (answer === 'taken' || answer === 'halted' || answer === 'unclaimed')
        return { kind: answer };
    const [, by = '', row] = HELD.exec(answer) ?? [];
    if (row !== undefined)
        return { kind: 'held', by: { run: by, row: Number(row) } };
    const [, why, ms = '0'] = WAIT.exec(answer) ?? [];
    return { kind: 'wait', ms: Number(ms), isHold: why === 'hold' };
}
/** `null`, or what was wrong. */
async function journalIntents({ ranges, single }, { journal, run }) {
    const rows = [
        ...ranges.flatMap((range) => range.rows),
        ...single.map(({ intent, bucket, digest }) => ({ ...intent, bucket, digest })),
    ];
    try {
        await journal.write({
            kind: 'intended',
            run,
            rows: rows.map(({ chunk, row, mark, bucket, digest }) => [chunk, row, mark, bucket, digest]),
        });
        return null;
    }
    catch (error) {
        return messageOf(error);
    }
}
/** Rows that were not granted may be in the journal, even where writing it failed: a replay must not think that they went. */
function noteIdle(granted, marked, edges) {
    noteWithdrawn(marked.filter((_, i) => granted[i]?.kind !== 'granted'), edges);
}
async function withAllWithdrawn(granted, problem, { marked, edges }) {
    const gone = marked.filter((_, i) => granted[i]?.kind === 'granted');
    if (gone.length > 0)
        await withdrawRows(gone, edges);
    return granted.map((g) => (g.kind === 'granted' ? { kind: 'unwritten', problem } : g));
}
async function passing(stage, marked, work) {
    const result = await work;
    passStage(stage, () => marked.map(({ row }) => row));
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
/** ARGV of the script EXCHANGE behind what ended, from its second on: what rows of one take of a chunk share is said once. */
function nextArguments({ ranges, single }, keys) {
    const follows = single.some(({ intent }) => intent.fields !== null);
    const args = [follows ? 1 : 0, ranges.length, ...ranges.flatMap(({ range }) => rangeArguments(range))];
    for (const group of groupAdjacent(single, areOfOneTake)) {
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
function rangeArguments(range) {
    const { chunk, taker, seen, repeatable, claimed, rows, apart } = range;
    const head = [chunk, taker, seen, repeatable ? 1 : 0, claimed, rows.length, apart.length];
    return [...head, ...rows.map(({ row }) => row), ...apart.flat()];
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
//# sourceMappingURL=exchange.js.map