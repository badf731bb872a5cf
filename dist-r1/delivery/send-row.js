/**
 * A row that is sent by itself, as often as it is safe and sensible. p-retry owns the attempts after the first: it is called only for rows
 * that need another, each attempt is `tryRow`, and retry-policy.ts decides whether and when.
 */
import pRetry from 'p-retry';
import { awayMsOf } from '../config/job-definition.js';
import { nextTry } from './retry-policy.js';
import { endOf, gaveUp } from './row-task.js';
import { waitWhileRunning } from './still-runs.js';
import { tryRow } from './try-row.js';
/** The one error that makes p-retry go on: another attempt is safe. */
class TryAgain extends Error {
    name = 'TryAgain';
    verdict;
    constructor(verdict) {
        super(verdict.message);
        this.verdict = verdict;
    }
}
/** Sends a row as often as it is safe and sensible. */
export async function sendRow(sending, context) {
    const startedAt = context.now();
    return goOnSending(await tryRow(sending, context), sending, { context, startedAt });
}
/** What comes of a row's first attempt: its end, or others that p-retry owns. `startedAt`: ms. */
export async function goOnSending(first, sending, { context, startedAt }) {
    if (first.kind !== 'again')
        return sentOf(first, sending);
    let next = { kind: 'wait', ms: 0 };
    let previousAt = startedAt;
    let latestAt = startedAt;
    const waitForNext = async (verdict) => {
        const { made, throttled } = sending;
        next = nextTry({ made, throttled, startedAt, previousAt }, verdict, policyOf(context));
        return next.kind === 'wait' && waitWhileRunning(next.ms, context);
    };
    try {
        const attemptAgain = () => {
            previousAt = latestAt;
            latestAt = context.now();
            return attempt(sending, context);
        };
        const done = await pRetry((n) => (n === 1 ? again(first) : attemptAgain()), {
            retries: Number.POSITIVE_INFINITY,
            minTimeout: 0,
            shouldRetry: ({ error }) => error instanceof TryAgain && waitForNext(error.verdict),
        });
        return sentOf(done, sending);
    }
    catch (error) {
        if (!(error instanceof TryAgain))
            throw error;
        return await endOfTries(next, error.verdict, { sending, context });
    }
}
/** Only rows that are tried again come to p-retry: a call of it costs a row that needs none some microseconds. */
function again({ verdict }) {
    throw new TryAgain(verdict);
}
/** Nothing raw reaches p-retry: an attempt returns a value, and only the verdict `retry` throws. */
async function attempt(sending, context) {
    const tried = await tryRow(sending, context);
    return tried.kind === 'again' ? again(tried) : tried;
}
function policyOf({ definition, service, breaker }) {
    const { attempts } = definition.send;
    return { attempts, awayMs: awayMsOf(definition), backoffMs: service.backoffMs, breaker };
}
function sentOf(done, sending) {
    if (done.kind === 'unsent') {
        return sending.everUnknown ? ended({ ...INTERRUPTED, attempts: sending.made }, sending) : done;
    }
    if (done.kind === 'held')
        return ended(heldBy(done.by, sending.everUnknown), sending);
    return ended({ ...endOf(done.verdict, sending.everUnknown), attempts: sending.made, ms: done.ms }, sending);
}
function ended(end, { expected }) {
    return { kind: 'ended', end, mark: expected };
}
function heldBy({ run, row }, everUnknown) {
    const message = `row ${row} of run ${run} has this key and is not done yet`;
    return { outcome: everUnknown ? 'in-doubt' : 'invalid', code: 'key_held', message };
}
const INTERRUPTED = {
    outcome: 'in-doubt',
    code: 'interrupted',
    message: 'an attempt has an unknown outcome, and the run was interrupted before the next',
};
async function endOfTries(next, verdict, { sending, context }) {
    if (next.kind === 'give-up') {
        return ended({ ...gaveUp(verdict, sending.made, sending.everUnknown), attempts: sending.made }, sending);
    }
    // A wait that ended here was broken off: the run or the process ends.
    if (next.kind === 'away')
        await context.pause('service-away');
    if (next.kind === 'hold')
        await context.pause('service-hold');
    return sentOf({ kind: 'unsent' }, sending);
}
//# sourceMappingURL=send-row.js.map