/**
 * A request in the hands of the sender (sender.ts): its intent and token, what the sender keeps of a run, and the ways out of it. An
 * accepted row is recorded together with those accepted within the same few milliseconds; any other leaves the batches and is
 * finished by itself (`finishRow`): tried again, settled as refused, or put back. Each request's end is told exactly once.
 */
import { acceptedEnd } from './row-task.js';
import { goOnSending } from './send-row.js';
import { recordAtOnce, sentRows, settleSent, withdrawIntents } from './settle-rows.js';
import { tryRow, weigh } from './try-row.js';
export function createSenderRow(parts) {
    const { planned, sending, end, context, order } = parts;
    return { planned, sending, end, context, order, intent: null, token: '', grantedAt: 0 };
}
/**
 * Takes a row that leaves the sender's batches to its end: it waits, tries again, or is settled as what it was answered.
 * Resolves as soon as it is known what its answer means for others: the breaker is told, or the run is paused (but for 403, which is
 * weighed with those before it). Never rejects.
 */
export async function finishRow(row, answer) {
    const { sending, context, end } = row;
    try {
        const startedAt = context.now() - (answer?.reply.ms ?? 0);
        const tried = answer === null ? tryRow(sending, context) : weighed(row, answer);
        if (answer !== null)
            await tried;
        settled(row, tried, startedAt).then(end.ended, end.failed);
    }
    catch (error) {
        end.failed(error);
    }
}
async function settled(row, tried, startedAt) {
    const { planned, sending, context } = row;
    const sent = await goOnSending(await tried, sending, { context, startedAt });
    if (sent.kind === 'unsent')
        return 'unsent';
    return settleSent(sentRows(planned, sent.end, { expected: sent.mark, taker: sending.taker }), context);
}
async function weighed({ sending, context, intent, token }, { verdict, reply }) {
    if (intent === null)
        throw new Error('a row was answered that had no intent');
    return weigh(sending, context, { verdict, reply, intent, token });
}
/** Withdraws the intents of rows that have not gone. */
export async function withdraw(rows, context, then) {
    if (rows.length === 0)
        return;
    try {
        await withdrawIntents(rows.flatMap(intentsOf), context);
    }
    catch (error) {
        for (const row of rows)
            row.end.failed(error);
        return;
    }
    for (const row of rows) {
        takenBack(row);
        then(row);
    }
}
/** Notes that the row's intent is gone from the ledger: its next intent has another mark. */
export function takenBack({ sending }) {
    sending.expected = '';
    sending.withdrawn += 1;
}
/** The run or the process ends: only what is on the wire goes on. */
export function endSender(state) {
    endWaiting(state);
    void withdraw(takeFrom(state.ready, state.ready.length()), state.context, unsent);
}
/** Rows that have no intent are as before. */
export function endWaiting({ waiting }) {
    for (const row of takeFrom(waiting, waiting.length()))
        unsent(row);
}
/** The row is as before. */
export function unsent(row) {
    row.end.ended('unsent');
}
/** The intent that a row asked for last. */
export function intentsOf({ intent }) {
    return intent === null ? [] : [intent];
}
/** The first rows of a line, no more than `most`. */
export function takeFrom(line, most) {
    const rows = [];
    while (rows.length < most) {
        const row = line.shift();
        if (row === undefined)
            break;
        rows.push(row);
    }
    return rows;
}
/** No outcome waits longer: until it is recorded and in the journal, a kill of the worker leaves its row in doubt. */
const AT_MOST_MS = 4;
const ENOUGH = 40;
export function createSenderSettling(context) {
    let rows = [];
    let settled = [];
    let timer = null;
    const take = () => {
        if (timer !== null)
            clearTimeout(timer);
        timer = null;
        const accepted = { rows, settled };
        rows = [];
        settled = [];
        return accepted;
    };
    const record = (accepted, sent) => void recordAll(accepted, context, sent);
    const flush = () => {
        const accepted = take();
        if (accepted.rows.length > 0)
            record(accepted, context.ledger.settleAll(accepted.settled));
    };
    return {
        take,
        record,
        flush,
        add(row, verdict, ms) {
            const { planned, sending } = row;
            const ends = sentRows(planned, acceptedEnd(verdict, sending.made, ms), sending);
            rows.push(row);
            for (const one of ends)
                settled.push(one);
            if (rows.length >= ENOUGH)
                flush();
            else
                timer ??= setTimeout(flush, AT_MOST_MS);
        },
    };
}
async function recordAll({ rows, settled }, context, sent) {
    try {
        await recordAtOnce(settled, context, sent);
        for (const row of rows)
            row.end.ended('settled');
    }
    catch (error) {
        for (const row of rows)
            row.end.failed(error);
    }
}
//# sourceMappingURL=sender-row.js.map