import { mappingFor } from '../delivery/run-mapping.js';
import { createCut } from '../intake/chunks.js';
import { createRerunStore, createRunInput, unsuccessfulRows, } from '../ledger/reruns.js';
import { newRunId } from '../ledger/run-store.js';
import { createRunView } from '../ledger/run-view.js';
import { didYouMean } from '../lib/did-you-mean.js';
import { countOf, tell } from '../lib/terminal.js';
import { UsageError } from '../lib/usage-error.js';
import { countUnsuccessful } from '../model/outcome.js';
import { isOver } from '../model/run.js';
import { resumeRun, setRunning } from './control.js';
import { executeToEnd } from './execute.js';
import { loadFittingJob, loadFittingJobFile } from './input.js';
import { CHUNK_ROWS, registeredRows } from './rows.js';
import { definitionOf, findRun } from './status.js';
/** The outcomes whose rows may be sent again; a row in doubt may have been created, so it is none of them. */
export const RERUN_OUTCOMES = [
    'rejected',
    'failed',
    'denied',
    'invalid',
    'cancelled',
];
/** The outcomes that `--only` names, all of them where it names none; a UsageError lists what can't be taken up again. */
export function rerunOutcomes(only) {
    const names = only.flatMap((list) => list.split(',')).map((name) => name.trim());
    const wrong = names.filter((name) => RERUN_OUTCOMES.every((outcome) => outcome !== name));
    if (wrong.length > 0)
        throw new UsageError(wrong.map(problemOf));
    return new Set(RERUN_OUTCOMES.filter((outcome) => names.length === 0 || names.includes(outcome)));
}
function problemOf(name) {
    const expected = `--only "${name}": expected some of ${RERUN_OUTCOMES.join(', ')}.`;
    if (name !== 'in-doubt')
        return `${expected}${didYouMean(name, RERUN_OUTCOMES)}`;
    return `${expected} Rows in doubt may have been created: \`onboard resolve\` settles them first.`;
}
/**
 * Takes the rows of a run that is over up again, as far as it goes. An earlier rerun that is not over is gone on with instead. `join`
 * is called once there is something to do.
 */
export async function rerunRows(parent, asked, session, join) {
    if (!isOver(parent))
        throw new UsageError(notOver(parent));
    const job = await jobOf(parent, asked, session);
    if (job.definition.operation !== parent.operation)
        throw new UsageError(otherOperation(job, parent));
    // What doesn't fit the columns is said before anything is registered.
    mappingFor(job.definition, parent.source);
    const wanted = { parent, job, outcomes: asked.outcomes };
    const { ledger, io } = session;
    const early = await lookBeforeRerun(wanted, ledger);
    if (early !== null)
        return goOnInstead(early, session, join);
    // Chosen only from a ledger that has been verified: Redis may have forgotten a rerun of the same rows.
    const joined = await join();
    const begun = await registerRerun(wanted, ledger);
    if (begun.kind !== 'registered')
        return goOnInstead(begun, session, join);
    for (const line of begun.lines)
        tell(io, line);
    await setRunning(begun.run, ledger);
    const run = await findRun(ledger, begun.run.id);
    const executed = await executeToEnd(run, await registeredRows(run, ledger), joined);
    return { kind: 'run', run, resumed: { kind: 'here', service: joined.service, ...executed } };
}
async function goOnInstead(no, session, join) {
    if (no.kind === 'nothing')
        return no;
    const { run } = no;
    tell(session.io, `Run ${run.id} of such rows is not over: it is gone on with instead of a new one.`);
    return { kind: 'run', run, resumed: await resumeRun(run, session, join) };
}
async function jobOf(parent, { job, jobFile }, { env, ledger }) {
    if (job !== undefined && jobFile !== undefined) {
        throw new UsageError('--job and --job-file: expected one of them.');
    }
    if (jobFile !== undefined)
        return loadFittingJobFile(jobFile);
    if (job !== undefined)
        return loadFittingJob(job, env.jobsDirectory);
    return { name: parent.job, definition: await definitionOf(parent, ledger) };
}
function notOver({ id, state }) {
    const command = state === 'cancelled' ? 'cancel' : 'resume';
    return (`Run ${id} is ${state} and has rows without an outcome: expected one that is over. ` +
        `\`onboard ${command} ${id}\` takes it to its end.`);
}
function otherOperation({ name, definition }, parent) {
    return (`The job ${name} is for ${definition.operation}, and run ${parent.id} was for ${parent.operation}: ` +
        'expected a definition of the same operation.');
}
/** `null`: there are rows to take up. Writes nothing. */
async function lookBeforeRerun(wanted, ledger) {
    const children = await childrenOf(wanted.parent, ledger);
    const unfinished = children.find((run) => !isOver(run));
    if (unfinished !== undefined)
        return { kind: 'unfinished', run: unfinished };
    const counts = noCounts();
    // One batch of rows is enough to know that there are some.
    for await (const _ of rowsLeft({ wanted, children }, ledger, counts))
        return null;
    return { kind: 'nothing', lines: nothingLeft(wanted.parent, children, counts) };
}
/** Chooses the rows and registers the rerun. */
async function registerRerun(wanted, ledger) {
    const { parent } = wanted;
    const reruns = createRerunStore(ledger.redis, ledger.of(parent.target).keys, parent.id);
    for (;;) {
        const latest = await reruns.latest();
        const children = await childrenOf(parent, ledger);
        const unfinished = children.find((run) => !isOver(run));
        if (unfinished !== undefined)
            return { kind: 'unfinished', run: unfinished };
        const createdAt = new Date();
        const id = newRunId(createdAt);
        const frozen = await freezeRows(id, { wanted, children }, ledger);
        const { counts, rows } = frozen;
        if (counts.chosen === 0)
            return { kind: 'nothing', lines: nothingLeft(parent, children, counts) };
        const run = await register(newRun(wanted, { id, createdAt }, frozen), { latest, rows }, { reruns, ledger });
        if (run !== null)
            return { kind: 'registered', run, lines: leftOut(parent, counts) };
        // Another rerun was registered meanwhile, perhaps of the same rows.
    }
}
/** The reruns there are of a run, oldest first. */
async function childrenOf(parent, { redis, of }) {
    const { keys, store } = of(parent.target);
    const ids = await createRerunStore(redis, keys, parent.id).children();
    return (await Promise.all(ids.map((id) => store.get(id)))).filter((run) => run !== null);
}
function noCounts() {
    return { chosen: 0, takenBefore: 0, withoutRecord: 0, inDoubt: 0 };
}
/** The rows that no earlier rerun has taken, in batches; counts them as it goes. */
function rowsLeft({ wanted, children }, { redis, of }, counts) {
    const { parent, outcomes } = wanted;
    const { keys } = of(parent.target);
    const viewOf = (run) => createRunView(redis, keys, run);
    return unsuccessfulRows(viewOf(parent), { outcomes, reruns: children.map(viewOf) }, counts);
}
/** Puts these rows into the ledger as the rows of a run to be registered by that id. */
export async function freezeRows(id, family, ledger) {
    const { parent, job } = family.wanted;
    const counts = noCounts();
    const input = createRunInput(ledger.redis, ledger.of(parent.target).keys, id);
    const isGrouped = job.definition.group !== undefined;
    const keyOf = isGrouped ? mappingFor(job.definition, parent.source).keyOf : null;
    const firstRows = job.definition.send.canary;
    const endsBefore = createCut({ chunkRows: CHUNK_ROWS, firstRows, keyOf });
    const numbers = [];
    const ends = [];
    let chunk = [];
    const write = async () => {
        if (chunk.length === 0)
            return;
        ends.push(numbers.length);
        await input.write(ends.length, chunk);
        chunk = [];
    };
    for await (const rows of rowsLeft(family, ledger, counts)) {
        for (const row of rows) {
            if (endsBefore(row, chunk.length))
                await write();
            chunk.push(row);
            numbers.push(row.row);
        }
    }
    await write();
    return { counts, rows: numbers, chunkEnds: isGrouped || firstRows !== undefined ? ends : null };
}
function newRun({ parent, job }, { id, createdAt }, { rows, chunkEnds }) {
    const { target, file, sha256, source } = parent;
    return {
        id,
        job: job.name,
        definition: job.definition,
        target,
        // The file stays what the rows come from, and rows without a key are known by their place in it.
        facts: { path: file, sha256, bytes: 0, rows: rows.length, source, chunkEnds, stamp: '' },
        chunkRows: CHUNK_ROWS,
        createdAt,
        again: false,
    };
}
/** `null`: another rerun was registered since the rows were chosen. */
async function register(run, chosen, { reruns, ledger }) {
    const { index, redis, of } = ledger;
    const { keys, store } = of(run.target);
    await index.add(run.id, run.target, run.createdAt);
    if (await reruns.register(run, chosen))
        return store.get(run.id);
    await index.remove(run.id);
    await createRunInput(redis, keys, run.id).drop();
    return null;
}
function leftOut({ id, parent }, { inDoubt, withoutRecord }) {
    const elsewhere = parent === null ? '' : ` \`onboard rerun ${parent}\` takes them up where it has them.`;
    return [
        ...(inDoubt === 0
            ? []
            : [
                `${countOf(inDoubt, 'row')} of run ${id} ${inDoubt === 1 ? 'is' : 'are'} in doubt and left out: \`onboard resolve ${id} --file in-doubt.csv\` settles them, once its last column says what was found.`,
            ]),
        ...(withoutRecord === 0
            ? []
            : [
                `${countOf(withoutRecord, 'row')} of run ${id} ${withoutRecord === 1 ? 'is left out: its record is' : 'are left out: their records are'} not kept any more.${elsewhere}`,
            ]),
    ];
}
function nothingLeft(parent, children, counts) {
    const taken = children.map((run) => {
        const open = countUnsuccessful(run.outcomes);
        const next = open === 0
            ? 'all of its rows succeeded'
            : `${open} of its rows did not succeed: onboard rerun ${run.id}`;
        return `Run ${run.id}, a rerun of it, has ${countOf(run.rows, 'row')}; ${next}`;
    });
    return [`Run ${parent.id} has no rows left to take up.`, ...taken, ...leftOut(parent, counts)];
}
//# sourceMappingURL=rerun.js.map