import { createJobWindow } from '../delivery/job-window.js';
import { createReleases, createSchedules, startScheduleWorker } from '../queue/schedules.js';
/** The schedules of one target's jobs. */
export function openInboxSchedules({ session, target, book }, onRelease) {
    const { ledger, log } = session;
    const { queuePrefix } = ledger.of(target).keys;
    const onError = (error) => log.warn('schedules', { problem: error.message });
    const schedules = createSchedules(ledger.redis, queuePrefix, onError);
    const releases = createReleases(ledger.redis, queuePrefix);
    const worker = startScheduleWorker({
        connection: ledger.redis,
        prefix: queuePrefix,
        async release(job) {
            await releases.release(job, new Date());
            onRelease();
        },
        onError,
    });
    return {
        /** Makes the schedules in Redis those of the definitions. */
        keep: () => schedules.keep(schedulesOf(book.jobs())),
        /** Job → when its schedule fired last, milliseconds. */
        releases: releases.all,
        /** Job → when it fires next. */
        next: schedules.next,
        async close() {
            await worker.close();
            await schedules.close();
        },
    };
}
/** The schedules of those definitions that have one. */
export function schedulesOf(jobs) {
    return jobs.flatMap(({ name, definition: { schedule } }) => schedule === undefined ? [] : [{ job: name, ...schedule }]);
}
export function createWindows(now) {
    const windows = new Map();
    return ({ definition: { window } }) => {
        if (window === undefined)
            return false;
        const known = windows.get(window) ?? createJobWindow(window, now);
        windows.set(window, known);
        return known !== null && !known.isOpen();
    };
}
//# sourceMappingURL=schedule.js.map