import { mappingFor } from '../delivery/run-mapping.js';
import { surveyFile } from '../intake/survey.js';
import { insteadOf } from '../lib/errors.js';
import { fileStamp } from '../lib/file-stamp.js';
import { UsageError } from '../lib/usage-error.js';
import { sleep } from '../lib/waiting.js';
import { REASON_ADVICE } from '../model/advice.js';
import { EXIT } from '../model/exit.js';
import { isOver } from '../model/run.js';
import { isTable } from '../model/source.js';
import { executeRun } from '../runs/execute.js';
import { lookUpAtEnd } from '../runs/look-up.js';
import { registerFile } from '../runs/register.js';
import { knownReport, reportOf } from '../runs/report.js';
import { fileRows } from '../runs/rows.js';
import { dropClaim, openClaimed } from './claim.js';
import { takenWords } from './note.js';
import { isOriginalWritten } from './other-file-system.js';
import { settle } from './settle.js';
/** Takes a claimed file through its job as far as it goes. */
export async function takeClaim(claim, watcher, take) {
    const read = await readClaim(claim, watcher, take.signal);
    switch (read.kind) {
        case 'left':
            return read;
        case 'gone':
            await dropClaim(claim);
            watcher.teller.line(`${claim.info.path}: was removed from ${claim.folder} by somebody`);
            return { kind: 'ended', exitCode: EXIT.notStarted };
        case 'refused':
        case 'changed':
            return { kind: 'ended', exitCode: await settle(claim, read, watcher) };
        case 'read':
            return runFileOf(claim, read, watcher, take);
        default:
            return read;
    }
}
const WAIT_MS = 200;
async function runFileOf(claim, { facts, job }, watcher, { signal, onRun, isUnderWay }) {
    const { store, target } = watcher;
    const session = { ...watcher.session, io: { ...watcher.session.io, interrupted: signal } };
    const { id } = await registerFile({ facts, job, target, again: false, id: claim.id }, session);
    // Another file with the same content is on its way here: its end says what this one's is.
    while (id !== claim.id && isUnderWay(id) && !signal.aborted)
        await sleep(WAIT_MS, signal);
    onRun(id);
    const run = await store.get(id);
    if (run === null)
        throw new Error(`run ${id} is gone from the ledger`);
    if (isOver(run)) {
        const { stamp } = facts;
        const end = id === claim.id
            ? { kind: 'done', stamp, run, summary: await knownReport(run, session) }
            : { kind: 'known', stamp, run };
        return { kind: 'ended', exitCode: await settle(claim, end, watcher) };
    }
    return mayGoOn(run) ? followToEnd(run, { claim, facts }, { ...watcher, session }) : { kind: 'paused', run };
}
/** Follows the file's run as far as it goes, and settles the file where the run is over or the file was changed. */
async function followToEnd(run, { claim, facts }, watcher) {
    const { id } = run;
    const { store, teller, session } = watcher;
    if (run.state !== 'cancelled')
        await store.transition(id, run.rows === 0 ? 'finished' : 'running', null);
    teller.line(takenWords(claim.info.path, run));
    const ended = await follow((await store.get(id)) ?? run, facts, session);
    const summary = await reportOf(ended, session);
    if (!isOver(ended) && ended.reason !== 'file-changed')
        return session.io.interrupted.aborted ? { kind: 'left' } : { kind: 'paused', run: ended };
    const { stamp } = facts;
    const isWhole = isOver(ended) && (await fileStamp(claim.file)) === stamp && !(await isOriginalWritten(claim));
    const end = { kind: isWhole ? 'done' : 'changed', stamp, run: ended, summary };
    return { kind: 'ended', exitCode: await settle(claim, end, watcher) };
}
/** Why a run is paused that only a person may go on with. */
const LEFT_ALONE = ['requested', 'file-changed'];
function mayGoOn({ state, reason }) {
    return state !== 'stopped' && !(state === 'paused' && LEFT_ALONE.includes(reason));
}
/** Executes the run to where it ends or stays; rows in doubt are looked up where the definition says how. */
async function follow(run, facts, session) {
    if (isOver(run))
        return run;
    try {
        return await lookUpAtEnd(await executeRun(run, fileRows(facts), session, { isQuiet: true }), session);
    }
    catch (error) {
        const left = error instanceof UsageError ? await session.ledger.of(run.target).store.get(run.id) : null;
        // The file could not be read any more, and the run says so.
        if (left?.reason === 'file-changed')
            return left;
        throw error;
    }
}
/** What a person is told of a file whose run waits for somebody. */
export function pausedWords({ info }, { id, state, reason }) {
    const advice = reason === null ? '' : ` ${REASON_ADVICE[reason]}`;
    return `${info.path}: run ${id} is ${state}${reason === null ? '' : ` (${reason})`}.${advice} To go on: onboard resume ${id}`;
}
/** Reads a claimed file; one that somebody still writes to is waited for and read again. */
async function readClaim(claim, watcher, signal) {
    const run = await watcher.store.get(claim.id);
    const job = await jobOf(claim, run, watcher);
    if (job === null)
        return { kind: 'refused', why: [`there is no job ${claim.info.job} any more`], fault: 'job' };
    let expected = claim.info.stamp;
    for (;;) {
        const rest = await comeToRest(claim.file, { expected, restMs: watcher.restMs, signal });
        if (rest.kind !== 'whole')
            return rest;
        const read = await readOnce(claim.file, { job, run, stamp: rest.stamp });
        if (read !== null)
            return read;
        expected = rest.stamp;
    }
}
/** The job as the run has it, else as its definition is by now. */
async function jobOf({ id, info }, run, { store, book }) {
    const registered = run === null ? null : await store.definition(id);
    if (registered !== null)
        return { name: info.job, definition: registered };
    return book.jobs().find(({ name }) => name === info.job) ?? null;
}
/** Where the file is not what it was when it was claimed: waits until nothing of it has changed for `restMs`. */
async function comeToRest(file, given) {
    let { expected } = given;
    for (;;) {
        if (given.signal.aborted)
            return { kind: 'left' };
        const opened = await openClaimed(file).catch(insteadOf('ENOENT', null));
        if (opened === null)
            return { kind: 'gone' };
        if (opened.kind === 'refused')
            return { kind: 'refused', why: [opened.why], fault: 'content' };
        await opened.handle.close();
        if (opened.stamp === expected)
            return { kind: 'whole', stamp: expected };
        expected = opened.stamp;
        await sleep(given.restMs, given.signal);
    }
}
/** Reads the file to its end; `null`: somebody changed it meanwhile. */
async function readOnce(file, { job, run, stamp }) {
    try {
        const facts = await surveyFile(file, job.definition.format);
        if (facts.stamp !== stamp)
            return null;
        if (run !== null && run.sha256 !== facts.sha256)
            return { kind: 'changed', run, stamp };
        checkColumns(job, facts.source);
        return { kind: 'read', facts, job };
    }
    catch (error) {
        if (!(error instanceof UsageError))
            throw error;
        const opened = await openClaimed(file).catch(insteadOf('ENOENT', null));
        if (opened?.kind === 'open')
            await opened.handle.close();
        if (opened?.kind !== 'open' || opened.stamp !== stamp)
            return null;
        return run === null
            ? { kind: 'refused', why: error.problems, fault: 'content' }
            : { kind: 'changed', run, stamp };
    }
}
/**
 * Throws what doesn't fit the job. Where no column is known, the first line may be a record, and a note must not quote people's data.
 */
function checkColumns(job, source) {
    try {
        mappingFor(job.definition, source);
    }
    catch (error) {
        if (!(error instanceof UsageError) || !isTable(source))
            throw error;
        const { columns } = source;
        // They stand in the order of the columns.
        const unknown = error.all.filter((problem) => typeof problem === 'string' && problem.startsWith('column "'));
        const isUnknown = (column, at) => String(unknown[at] ?? '').startsWith(`column "${column}"`);
        if (!columns.every(isUnknown))
            throw error;
        throw new UsageError(`not one of the ${columns.length} columns that its line ${source.headerLine} names is known to the job ${job.name}: expected the header of such a file there; put the column names above the records`);
    }
}
//# sourceMappingURL=take.js.map