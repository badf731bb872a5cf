/**
 * The check of files: what a run of a job would do with them and find wrong, without a call and without a change in the
 * ledger. The front door of `check/`: `onboard check` opens files and checks them one after the other, `onboard run
 * --check-first` lets a run begin only where nothing is wrong.
 */
import { jobsBefore } from '../config/job-definition.js';
import { readChunks } from '../intake/chunks.js';
import { inspectFile } from '../intake/inspect.js';
import { openRows } from '../intake/rows.js';
import { surveyFile } from '../intake/survey.js';
import { changedWhileRead, fileStamp } from '../lib/file-stamp.js';
import { countOf, tell } from '../lib/terminal.js';
import { UsageError } from '../lib/usage-error.js';
import { createGroupCutter } from '../model/row-group.js';
import { isTable } from '../model/source.js';
import { mappingOf } from '../runs/input.js';
import { waitForJobs } from '../runs/register.js';
import { createFindings, estimateOf } from './findings.js';
import { createSeenKeys, foresee } from './forecast.js';
import { createLook } from './ledger.js';
import { checkLines, waitingWords } from './words.js';
/** Looks through the files of a job one after the other, in the order in which a run takes them. */
export function createChecker(job, look) {
    const before = [];
    return async (reading) => {
        const seen = createSeenKeys();
        const checked = await checkFile(reading, { job, look, seen, before });
        before.push(seen);
        return checked;
    };
}
/**
 * Throws a UsageError, with what was found on stderr, where a row of any of the files would be invalid or refers to a
 * record that there is not. Runs that come before are waited for, since they may create it; false: interrupted meanwhile.
 */
export async function passesCheck({ job, files }, target, { ledger, io }) {
    if (!(await waitForJobs(jobsBefore(job.definition), target, { ledger, io })))
        return false;
    const check = createChecker(job, createLook(ledger, target));
    const failing = [];
    for (const facts of files) {
        const checked = await check(readSurveyed(facts, job.definition.format));
        if (checked.invalid + checked.waiting === 0)
            continue;
        for (const line of checkLines(checked, job.definition))
            tell(io, line);
        failing.push(checked);
    }
    if (failing.length > 0)
        throw new UsageError(failing.map(refusal));
    return true;
}
function refusal({ file, rows, invalid, waiting }) {
    const parts = [
        ...(invalid === 0 ? [] : [`${invalid} would be invalid`]),
        ...(waiting === 0 ? [] : [waitingWords(waiting)]),
    ];
    const steps = [
        ...(invalid === 0 ? [] : ['correct the invalid rows']),
        ...(waiting === 0 ? [] : ['load first what rows refer to']),
    ].join(', ');
    const first = steps.charAt(0).toUpperCase() + steps.slice(1);
    return (`${file}: of ${countOf(rows, 'row')} ${parts.join(', ')}, and --check-first was asked for: nothing was begun. ` +
        `${first}, or run without it: the other rows are sent then.`);
}
/** Few enough that what they map to is gone before it is old, and that garbage is cheap to collect. */
const ROWS_AT_ONCE = 100;
/** Throws a UsageError where the columns don't fit the job. */
async function checkFile(reading, { job, look, seen, before }) {
    const { definition, name } = job;
    const { sha256 } = reading;
    const mapping = mappingOf(job, reading);
    const earlier = look.kind === 'ledger' ? await look.earlierRun({ sha256, job: name }) : null;
    const findings = createFindings();
    const foreseeing = {
        definition,
        mapping,
        sha256,
        look,
        earlier: earlier?.id ?? null,
        seen,
        before,
        isShown: findings.showsMore,
    };
    const cutter = createGroupCutter(definition.group === undefined ? null : mapping.keyOf);
    const add = async (groups) => {
        const ended = groups.filter((group) => group !== null);
        for (const forecast of await foresee(ended, foreseeing))
            findings.add(forecast);
    };
    let rows = 0;
    for await (const batch of reading.batches) {
        rows += batch.rows.length;
        for (let at = 0; at < batch.rows.length; at += ROWS_AT_ONCE)
            await add(batch.rows.slice(at, at + ROWS_AT_ONCE).map((row) => cutter.take(row)));
    }
    await add([cutter.end()]);
    const last = look.kind === 'ledger' ? await look.lastSpeed(name) : null;
    const estimate = estimateOf(findings.toSend(), definition, last);
    return findings.result({ job: name, reading, rows, look, earlier, estimate });
}
/** Opens a file to be looked through once: of a table the header is enough to begin with, while JSON is surveyed first. */
export async function openReading(path, format) {
    const stamp = await fileStamp(path).catch(() => '');
    const inspected = await inspectFile(path, format);
    const batches = openRows(path, inspected, format);
    const first = await batches.next();
    if (first.done !== true && isTable(first.value.source)) {
        const { source } = first.value;
        const all = after(first.value, batches);
        return { path, sha256: inspected.sha256, source, batches: unchanged(all, path, stamp) };
    }
    await batches.return(undefined);
    return readSurveyed(await surveyFile(path, format), format);
}
/** The rows of a file that was surveyed. */
function readSurveyed({ path, sha256, source }, format) {
    return { path, sha256, source, batches: readChunks(path, source, format) };
}
async function* after(first, rest) {
    yield first;
    yield* rest;
}
async function* unchanged(batches, path, stamp) {
    yield* batches;
    if ((await fileStamp(path).catch(() => '')) === stamp)
        return;
    throw changedWhileRead(path);
}
//# sourceMappingURL=file.js.map