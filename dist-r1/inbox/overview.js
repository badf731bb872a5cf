/**
 * What is going on in a home, for `onboard status`: runs that are not over, files on their way, schedules and
 * windows. It goes by the decisions that a watcher goes by, and changes nothing.
 */
import { join } from 'node:path';
import { createJobWindow } from '../delivery/job-window.js';
import { definitionProblems } from '../delivery/run-mapping.js';
import { baseUrlOf, SANDBOX_TARGET } from '../delivery/target.js';
import { tell } from '../lib/terminal.js';
import { UsageError } from '../lib/usage-error.js';
import { isOver } from '../model/run.js';
import { nextTime } from '../queue/schedule-times.js';
import { createReleases, createSchedules } from '../queue/schedules.js';
import { latestRuns, serviceReport } from '../runs/status.js';
import { listClaims } from './claim.js';
import { listEntries } from './entry.js';
import { inboxesOf, openJobBook } from './job-book.js';
import { busyJobs, claimedWords } from './look.js';
import { createWindows, schedulesOf } from './schedule.js';
import { reasonWords, sortOut } from './sort-out.js';
const RUNS_MAX = 200;
/** A file that has not changed for this long counts as whole, as with the default of `--rest`: this command has not watched it. */
const REST_MS = 2_000;
/** Looks at the ledger and the folders of a home, for the stand-in or for the service of the environment where it names one. */
export async function lookOver({ ledger, env, io }, sandbox) {
    const target = sandbox || env.baseUrl === null ? SANDBOX_TARGET : baseUrlOf(env.baseUrl);
    const processing = join(env.home, 'processing');
    const jobs = await jobsOf(env, io);
    const home = { ledger, target, home: env.home, processing, jobs };
    const { queuePrefix } = ledger.of(target).keys;
    const schedules = createSchedules(ledger.redis, queuePrefix, () => undefined);
    try {
        const next = await schedules.next();
        const runs = (await latestRuns(ledger, RUNS_MAX)).filter(({ run }) => !isOver(run));
        const claimed = await claimedFiles(processing);
        return {
            target,
            services: await servicesOf(ledger, [
                target,
                ...runs.map(({ run }) => run.target),
                ...claimed.map((file) => file.target),
            ]),
            runs,
            processing: claimed,
            waiting: waitingFiles(await sortedOut(home), next),
            schedules: schedulesOf(jobs).map(({ job, cron, timezone }) => ({
                job,
                cron,
                timezone,
                next: (next.get(job) ?? nextTime({ cron, timezone }, new Date()))?.toISOString() ?? null,
                // Whether a watcher has set it, so that it fires.
                isSet: next.has(job),
            })),
            windows: jobs.flatMap(windowOf),
        };
    }
    finally {
        await schedules.close();
    }
}
/** Definitions that can't be used are told, and the rest is shown all the same. */
async function jobsOf({ jobsDirectory, home }, io) {
    try {
        return (await openJobBook(jobsDirectory, home, definitionProblems)).jobs();
    }
    catch (error) {
        if (!(error instanceof UsageError))
            throw error;
        for (const problem of error.problems)
            tell(io, `warning: ${problem}`);
        return [];
    }
}
/** How each service is doing, the first one first. */
function servicesOf(ledger, targets) {
    const each = [...new Set(targets)].map(async (target) => ({
        target,
        ...(await serviceReport(ledger, target)),
    }));
    return Promise.all(each);
}
async function claimedFiles(processing) {
    const claims = await listClaims(processing);
    return claims.flatMap(({ id, info }) => info === null ? [] : [{ file: info.path, job: info.job, claim: id, target: info.target }]);
}
async function sortedOut({ ledger, target, home, jobs, processing }) {
    const { keys } = ledger.of(target);
    const releases = await createReleases(ledger.redis, keys.queuePrefix).all();
    const looks = await Promise.all(inboxesOf(jobs, home).map(async (inbox) => {
        const { entries } = await listEntries(inbox.folder).catch(() => ({ entries: [] }));
        return { inbox, entries };
    }));
    const claims = await listClaims(processing);
    const claimed = claimedWords(claims.filter(({ info }) => info?.target === target));
    return sortOut(looks, {
        restLeft: ({ entry }) => Math.max(0, entry.changedMs + REST_MS - Date.now()),
        broken: new Set(),
        isHeldByWindow: createWindows(() => new Date()),
        releasedAt: (job) => releases.get(job) ?? null,
        busy: await busyJobs({ jobs, looks, claimed }, ledger, target),
    });
}
/** `why` for programs, `words` for people. */
function waitingFiles({ wait, take, refuse }, next) {
    const shown = ({ entry, inbox }) => ({
        file: entry.path,
        inbox: inbox.folder,
    });
    return [
        ...take.map((one) => ({
            ...shown(one),
            job: one.job.name,
            why: 'watcher',
            words: 'for a watcher to take it',
        })),
        ...wait.map((one) => ({ ...shown(one), job: one.job, why: one.why.kind, words: reasonWords(one, next) })),
        ...refuse.map((one) => ({
            ...shown(one),
            job: null,
            why: 'refused',
            words: `to be refused: ${one.why}`,
        })),
    ];
}
function windowOf({ name, definition }) {
    const window = createJobWindow(definition.window, () => new Date());
    if (window === null)
        return [];
    return [
        {
            job: name,
            window: window.text,
            timezone: window.timeZone,
            isOpen: window.isOpen(),
            opensAt: window.opensAt().toISOString(),
        },
    ];
}
//# sourceMappingURL=overview.js.map