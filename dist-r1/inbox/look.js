/**
 * One look at the definitions, the claims and all inboxes: what may be begun, what is to be refused, and why the
 * other files wait. A file counts as whole once this process has seen nothing of it change for a while.
 */
import { join } from 'node:path';
import { jobsBefore, weightOf } from '../config/job-definition.js';
import { holdsUpLaterJobs, openRunsOf } from '../ledger/run-store.js';
import { errorCode } from '../lib/errors.js';
import { makeFolder } from '../lib/make-folder.js';
import { goingOnWith, stateOf } from '../runs/status.js';
import { listEntries } from './entry.js';
import { inboxesOf, weightOfJob } from './job-book.js';
import { elsewhereLines } from './recover.js';
import { leftLines, presentJobs, sortOut, waitingLines, } from './sort-out.js';
/** Makes the function that looks at everything and tells why files wait. */
export function createLook(watcher, around) {
    const { book, home, teller, rehearsal, once, restMs, session, target } = watcher;
    const { recovery, schedules, isClosed } = around;
    const rest = createRest(restMs, around.now);
    return async () => {
        if (await book.refresh())
            await schedules.keep();
        const inboxes = inboxesOf(book.jobs(), home);
        const { others, left, elsewhere } = await recovery.look(inboxes);
        const troubles = new Map([...elsewhereLines(elsewhere), ...brokenLines(book)]);
        const found = await Promise.all(inboxes.map((inbox) => lookInto(inbox, troubles)));
        const looks = found.map(({ inbox, entries }) => ({
            inbox,
            entries: entries.filter((entry) => !rehearsal.has(inbox.folder, entry)),
        }));
        const claimed = [
            ...claimedWords(others),
            ...claimedWords(left.map((one) => one.found), 'is to be gone on with'),
            ...claimedWords(around.mine()),
        ];
        const [releases, next] = await Promise.all([schedules.releases(), schedules.next()]);
        const sorted = sortOut(looks, {
            restLeft: rest.left,
            isHeldByWindow: isClosed,
            isGivenUp: (placed, hasJob) => once && isRestless(rest.waited(placed), hasJob, restMs),
            broken: new Set(book.broken().keys()),
            releasedAt: (job) => releases.get(job) ?? null,
            busy: await busyJobs({ jobs: book.jobs(), looks, claimed }, session.ledger, target),
        });
        rest.tidy();
        teller.waiting(new Map([...troubles, ...waitingLines(sorted.wait, next)]));
        return {
            atHand: byUrgency({ left, take: sorted.take }, book),
            refuse: sorted.refuse,
            left: leftLines(sorted.wait, next),
            folders: found.flatMap(({ inbox, folders }) => [
                inbox.folder,
                ...folders.map((path) => join(inbox.folder, path)),
            ]),
            nextMs: sorted.nextMs,
        };
    };
}
function brokenLines(book) {
    return [...book.broken()].flatMap(([job, problems]) => [
        `The definition of ${job} can't be used any more; its files wait:`,
        ...problems.map((problem) => `  ${problem}`),
    ].map((line) => [`broken ${job} ${line}`, line]));
}
/** A folder that can't be looked into is no error: it may be on a file system that is away, and is looked for again. */
async function lookInto(inbox, troubles) {
    const { folder } = inbox;
    try {
        if (inbox.isMain)
            await makeFolder(folder);
        const { entries, folders, problems } = await listEntries(folder);
        for (const problem of problems)
            troubles.set(`${folder} ${problem}`, `${folder}: ${problem}`);
        return { inbox, entries, folders };
    }
    catch (error) {
        const code = errorCode(error);
        if (code === '')
            throw error;
        troubles.set(folder, `${folder}: this inbox can't be looked into (${code}): it is looked for again`);
        return { inbox, entries: [], folders: [] };
    }
}
/**
 * Job → what of it is under way, of the jobs that a file in an inbox comes after. Of several things the one
 * that needs a person is named: a run that waits for one, before a claimed file, before a run that moves.
 */
export async function busyJobs({ jobs, looks, claimed }, { redis, of }, target) {
    const present = presentJobs(looks);
    const asked = jobs.flatMap(({ name, definition }) => (present.has(name) ? jobsBefore(definition) : []));
    const { keys, store } = of(target);
    const open = await openRunsOf(redis, keys, new Set(asked));
    const runs = await Promise.all(open.map(async (id) => {
        const [run, leased] = await Promise.all([store.get(id), store.hasLease(id)]);
        return run !== null && holdsUpLaterJobs(run.state) ? [openRun(run, leased)] : [];
    }));
    // Later entries of the map win, so the oldest run of a job is named.
    const oldestLast = runs.flat().reverse();
    const wordsOf = (isHeld) => oldestLast.filter((run) => run.isHeld === isHeld).map(({ job, words }) => [job, words]);
    return new Map([...wordsOf(false), ...claimed, ...wordsOf(true)]);
}
/** `run … is paused (credentials); to go on with it: onboard resume …, or give it up: onboard cancel …`. */
function openRun(run, leased) {
    const state = stateOf(run, leased);
    const goOn = goingOnWith(run, state);
    const words = `run ${run.id} is ${state.words}`;
    return {
        job: run.job,
        words: goOn === null ? words : `${words}; to go on with it: ${goOn}, or give it up: onboard cancel ${run.id}`,
        isHeld: goOn !== null && (run.state === 'paused' || run.state === 'stopped'),
    };
}
/** The jobs of claims, with a word on each. */
export function claimedWords(claims, words = 'is under way') {
    return claims.flatMap(({ info }) => (info === null ? [] : [[info.job, `${info.path} ${words}`]]));
}
/** What is at hand in the order of its beginning: by the weight of its job, claims before files, else as it was found. */
export function byUrgency({ left, take }, book) {
    const claims = left.map((claim) => ({
        kind: 'claim',
        weight: weightOfJob(claim.found.info?.job, book),
        claim,
    }));
    const files = take.map((file) => ({ kind: 'file', weight: weightOf(file.job.definition), file }));
    return [...claims, ...files].sort((a, b) => b.weight - a.weight);
}
/**
 * An entry is at rest once nothing of it has changed for `restMs` by the looks of this process; clocks of other machines don't count.
 */
export function createRest(restMs, now) {
    let seen = new Map();
    let asked = new Map();
    return {
        /** Milliseconds until the entry has been at rest for long enough, if nothing changes; 0: it has. */
        left(placed) {
            const id = idOf(placed);
            const stamp = wholeStampOf(placed);
            const known = seen.get(id);
            const at = now();
            const current = known?.stamp === stamp ? known : { stamp, since: at, first: known?.first ?? at };
            seen.set(id, current);
            asked.set(id, current);
            return Math.max(0, current.since + restMs - at);
        },
        /** How long this process has known an entry that `left` was asked for before. */
        waited(placed) {
            const known = asked.get(idOf(placed));
            return known === undefined
                ? { ms: 0, isChanged: false }
                : { ms: now() - known.first, isChanged: known.since !== known.first };
        },
        /** Forgets all that was not asked for since the last call. */
        tidy() {
            seen = asked;
            asked = new Map();
        },
    };
}
function idOf({ inbox, entry: { path, name } }) {
    return `${inbox.folder}\n${path}\n${name.toString('latin1')}`;
}
/** Another name or other rights count as well: a program that moves files about may not be done with it. */
function wholeStampOf({ entry: { stamp, changedMs, links } }) {
    return [stamp, changedMs, links].join(':');
}
const SHORTEST_PATIENCE_MS = 30_000;
/** Whether `--once` gives an entry up: a job's file after a long wait, an entry of no job as soon as it was seen to change. */
function isRestless({ ms, isChanged }, hasJob, restMs) {
    return hasJob ? ms >= Math.max(10 * restMs, SHORTEST_PATIENCE_MS) : isChanged;
}
//# sourceMappingURL=look.js.map