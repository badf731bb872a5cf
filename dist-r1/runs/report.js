/**
 * When a run's report is written, and when one that is there stays as it is, since somebody may be correcting its
 * files.
 */
import { isDeepStrictEqual } from 'node:util';
import { createRunView } from '../ledger/run-view.js';
import { sleep } from '../lib/waiting.js';
import { isOver } from '../model/run.js';
import { readSummary, writeReport } from '../report/report.js';
import { summarize } from '../report/summary.js';
import { reportDirectory } from '../session.js';
import { waitToEnd } from './redis-wait.js';
const REPORT_TRIES = 3;
/** The report of a run that this process has followed as far as it goes. */
export async function reportOf(run, session) {
    // Another process goes on with the run, and writes its report.
    const goesOn = run.state === 'running' || (run.state === 'cancelled' && !isOver(run));
    return goesOn ? summarize(run, [], new Date()) : writeTrueReport(run, session);
}
/** The report of a run that was over before: as it was written then, where it is true. */
export async function knownReport(run, session) {
    const known = await readSummary(reportDirectory(session.env, run.id));
    const isTrue = known !== null && known.state === run.state && isDeepStrictEqual(known.outcomes, run.outcomes);
    return isTrue ? known : writeTrueReport(run, session);
}
/** A Redis that takes no commands is waited out. */
function writeTrueReport(run, session) {
    return waitToEnd(() => tryTrueReport(run, session), session.io);
}
/** A row in doubt may get its definite outcome while the report is written: then it is written again. */
async function tryTrueReport(run, session) {
    const { store } = session.ledger.of(run.target);
    let current = run;
    for (let tries = 1;; tries += 1) {
        const summary = await writeReportOf(current, session);
        if (summary.controlTotal.holds || tries === REPORT_TRIES)
            return summary;
        current = (await store.get(run.id)) ?? current;
    }
}
/** Writes the report from the ledger as it is now; `keep`: files that stay as they are. */
export function writeReportOf(run, { env, ledger }, given = {}) {
    const { directory = reportDirectory(env, run.id), keep = [] } = given;
    const view = createRunView(ledger.redis, ledger.of(run.target).keys, run);
    return writeReport({ run, view, directory, now: () => new Date(), keep });
}
const ELSEWHERE_WAIT_MS = 10_000;
const ELSEWHERE_POLL_MS = 100;
/** The report of a cancelled run by the process that wound it up, which should be there within seconds; `null`: there is none. */
export async function reportFromElsewhere(run, { env, io }) {
    const deadline = performance.now() + ELSEWHERE_WAIT_MS;
    while (performance.now() < deadline && !io.interrupted.aborted) {
        const summary = await readSummary(reportDirectory(env, run.id));
        if (summary?.state === 'cancelled' && summary.open === 0 && summary.files.length > 0)
            return summary;
        await sleep(ELSEWHERE_POLL_MS, io.interrupted);
    }
    return null;
}
//# sourceMappingURL=report.js.map