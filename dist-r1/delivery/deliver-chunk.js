/**
 * A chunk's rows from where they are to their outcomes: the chunk is taken, each request's plan is decided (decide.ts), and the plans are
 * executed: nothing to do, an end to record, a request to send, or a question to the ledger first. First attempts go in batches through
 * the run's sender; rows that a dead worker may have sent, and those of a run with a rate, one by one. The chunk is closed only when
 * every row has its outcome, and never while one of its requests is on the wire.
 */
import { identityKeyOf } from '../model/identity.js';
import { REPEATABLE } from '../model/operation.js';
import { groupRows } from '../model/row-group.js';
import { rowsBefore, rowsOfChunk } from '../model/run.js';
import { decide, decideCancelled, } from './decide.js';
import { createRowOrder } from './row-order.js';
import { sendRow } from './send-row.js';
import { senderOf } from './sender.js';
import { createSenderRow } from './sender-row.js';
import { isRepeatable } from './sending.js';
import { recordRows, rowsEnding, sentRows, settleSent } from './settle-rows.js';
import { waitWhileRunning } from './still-runs.js';
/** Takes a chunk's rows from where they are to their outcomes. `taker` is unique per take. */
export async function deliverChunk(job, take) {
    const { context } = take;
    const taken = await context.ledger.take(job.chunk, job.rows.map(({ row }) => row.row));
    if (taken.closed)
        return 'closed';
    if (taken.state !== 'running' && taken.state !== 'cancelled')
        return 'put-aside';
    if (taken.state === 'running' && !context.isOpen())
        return 'put-aside';
    if (!isWhole(job, context.run)) {
        context.onTrouble('a chunk with other rows than the run has there was dropped', new Error(`chunk ${job.chunk}`));
        return 'closed';
    }
    const planned = planChunk(job, taken, context);
    const order = orderOf(job, planned, { ...take, taken });
    if ((await executeAll(planned, { ...take, order })) === 'unsent')
        return 'put-back';
    return (await context.ledger.close(job.chunk, job.rows.length)) ? 'closed' : 'put-back';
}
/**
 * Whether a chunk has the rows that the run has there. A file that shrank while it was read gives a short one:
 * closing it would lose the rows that are missing.
 */
export function isWhole({ chunk, rows }, run) {
    if (rows.length !== rowsOfChunk(run, chunk))
        return false;
    const before = rowsBefore(run, chunk);
    // The rows of a rerun keep the numbers that they have in the file: only their order is known.
    if (run.parent !== null)
        return rows.every(({ row }, i) => row.row > (rows[i - 1]?.row.row ?? 0));
    return rows.every(({ row }, i) => row.row === before + i + 1);
}
/** The order of the chunk's rows; `null` where they are sent by a rate, or several in one request. */
function orderOf({ chunk, rows, claimed }, planned, { context, taker, taken }) {
    if (context.hasRate || context.definition.group !== undefined)
        return null;
    const sent = planned.filter(isSend).filter(isFresh);
    const call = sent[0]?.plan.request.call;
    if (call === undefined)
        return null;
    const repeatable = isRepeatable(call, context.definition);
    const inOrder = sent.filter(({ plan }) => isRepeatable(plan.request.call, context.definition) === repeatable);
    return createRowOrder({
        chunk,
        taker,
        taken,
        claimed,
        repeatable,
        rows: rows.map(({ row }) => row.row),
        inOrder: new Set(inOrder.map(({ lead }) => lead.row.row)),
    });
}
/** Whether nothing of the row can have been sent before, and nothing but its key has to be looked at. */
function isFresh({ lead, plan }) {
    return plan.expected === '' && plan.fields === undefined && !mayHaveBeenSent(lead, plan);
}
function planChunk(job, taken, context) {
    const planOf = (rows) => taken.state === 'cancelled' ? decideCancelled(rows, taken.marks) : decide(rows, taken.marks, context);
    const tasks = job.rows.map((entry) => taskOf(entry, job, { taken, context }));
    // Most jobs: a row is a request.
    if (context.definition.group === undefined)
        return tasks.map((lead) => ({ lead, mates: [], plan: planOf({ lead, mates: [], keyless: null }).plan }));
    const rows = tasks.map((task) => ({ row: task.row.row, task }));
    const groups = isMadeUp(job)
        ? groupsAtMarks(rows, taken.marks)
        : groupRows(rows, ({ task }) => (task.key === '' ? null : task.key));
    return groups.map((group) => {
        const lead = group.lead.task;
        // The key is the first row's to claim and to give back.
        const mates = group.mates.map(({ task }) => ({ ...task, identityKey: null }));
        return { lead, mates, ...planOf({ lead, mates, keyless: group.keyless }) };
    });
}
/** The run's file is gone and it was cancelled: nothing is left of its rows but that they were there. */
function isMadeUp({ rows }) {
    return rows.every(({ row }) => row.line === 0);
}
/**
 * The groups of rows whose keys are lost: one that may have been sent could have taken the unmarked rows after it along,
 * so they share its fate.
 */
function groupsAtMarks(rows, marks) {
    const groups = [];
    let isOpen = false;
    for (const row of rows) {
        const mark = marks.get(row.row);
        const group = mark === undefined && isOpen ? groups.at(-1) : undefined;
        if (group !== undefined)
            group.mates.push(row);
        else {
            groups.push({ lead: row, mates: [], keyless: null });
            isOpen = mark?.kind === 'intent';
        }
    }
    return groups;
}
function taskOf({ row, claim }, { chunk }, { taken, context }) {
    const { run, mapping } = context;
    const mark = taken.marks.get(row.row);
    return {
        run,
        chunk,
        row,
        key: mapping.keyOf(row) ?? '',
        identityKey: identityKeyOf(run, mapping, row),
        claim,
        foundMark: mark?.kind === 'intent' ? mark.text : '',
        suspect: taken.suspect,
    };
}
/** A referenced row is asked for so often. */
const ASK_AGAIN_MS = 200;
/** The chunk is put back then: a worker whose chunks all wait could not take the one that they wait for. */
const ASK_MAX_MS = 5_000;
/** Takes all rows of a chunk to their outcomes; resolves when each has come to its end, since none may be on the wire when a failure ends its chunk. */
function executeAll(planned, take) {
    return new Promise((resolve, reject) => {
        let left = planned.length;
        let all = 'settled';
        let failure = null;
        const done = () => {
            left -= 1;
            if (left > 0)
                return;
            if (failure === null)
                resolve(all);
            else
                reject(failure.error);
        };
        const end = {
            ended(how) {
                if (how === 'unsent')
                    all = 'unsent';
                done();
            },
            failed(error) {
                failure ??= { error };
                done();
            },
        };
        for (const one of planned)
            execute(one, take, end);
        if (planned.length === 0)
            resolve(all);
    });
}
/** Takes a request's rows to their outcomes. */
function execute(planned, take, end) {
    const { plan } = planned;
    switch (plan.kind) {
        case 'done':
            end.ended('settled');
            break;
        case 'end':
            tell(settle(planned, plan, take.context), end);
            break;
        case 'send':
            if (isSend(planned))
                send(planned, take, end);
            break;
        case 'ask':
            tell(consult(planned, plan, take), end);
            break;
        default:
            plan;
    }
}
function isSend(planned) {
    return planned.plan.kind === 'send';
}
function tell(work, end) {
    work.then(end.ended, end.failed);
}
async function settle(planned, { end }, context) {
    await recordRows(rowsEnding(planned, end), context);
    return 'settled';
}
/** Rows that a dead worker may have sent, and those of a run with a rate, go one by one. */
function send(planned, take, end) {
    const { context, order } = take;
    const sending = sendingOf(planned.lead, planned.plan, take);
    const isUntouched = sending.expected === '' && !sending.everUnknown;
    if (isUntouched && !context.hasRate)
        senderOf(context).send(createSenderRow({ planned, sending, end, context, order }));
    else
        tell(sendSingly(planned, sending, context), end);
}
async function sendSingly(planned, sending, context) {
    const sent = await sendRow(sending, context);
    if (sent.kind === 'unsent')
        return 'unsent';
    const { taker } = sending;
    return settleSent(sentRows(planned, sent.end, { expected: sent.mark, taker }), context);
}
async function consult(planned, { questions, decide }, take) {
    const { context, lease } = take;
    const began = context.now();
    for (;;) {
        const waitedMs = context.now() - began;
        const plan = decide({ ...(await ask(questions, context)), waitedMs });
        if (plan.kind !== 'wait')
            return executeAll([{ ...planned, plan }], take);
        if (waitedMs >= ASK_MAX_MS || !lease.isHeld())
            return 'unsent';
        if (!(await waitWhileRunning(ASK_AGAIN_MS, context)))
            return 'unsent';
    }
}
async function ask({ references, fieldsOf }, { ledger }) {
    const [states, fields] = await Promise.all([
        Promise.all(references.map(ledger.readKey)),
        fieldsOf === null ? '' : ledger.readFields(fieldsOf),
    ]);
    return { states, fields };
}
function sendingOf(task, plan, { taker, lease }) {
    return {
        task,
        request: plan.request,
        taker,
        isHeld: lease.isHeld,
        expected: plan.expected,
        fields: plan.fields ?? null,
        made: 0,
        withdrawn: 0,
        throttled: 0,
        refreshed: false,
        // A create taken over from a dead worker may have been carried out by it: a refusal now proves nothing.
        everUnknown: mayHaveBeenSent(task, plan),
    };
}
function mayHaveBeenSent(task, { expected, request }) {
    return (expected !== '' || task.suspect) && !REPEATABLE[request.call];
}
//# sourceMappingURL=deliver-chunk.js.map