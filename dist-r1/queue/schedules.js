/**
 * When files of a job with a `schedule` may be taken. Each schedule is one of BullMQ's job schedulers, so that it fires once
 * whoever watches, and one that was missed while nobody watched fires once later. What has fired is a mark of the ledger's own
 * beside them (`Releases`): files that were whole by then may be taken, by any watcher.
 */
import { Queue, Worker } from 'bullmq';
import { nextTime } from './schedule-times.js';
import { startWhenReady, UNASKED } from './start-when-ready.js';
/** BullMQ's name for the queue whose schedulers fire when files of a job are to be taken. */
const QUEUE_NAME = 'schedules';
const JOB_OPTIONS = { removeOnComplete: true, removeOnFail: { count: 100 } };
/** BullMQ's own reckoning leaves out a time that a change of clocks skips. */
const settings = {
    repeatStrategy: (after, { pattern = '', tz = 'UTC' }) => nextTime({ cron: pattern, timezone: tz }, new Date(after))?.getTime(),
};
export function createSchedules(connection, prefix, onError) {
    const queue = new Queue(QUEUE_NAME, { connection, prefix, settings, ...UNASKED });
    queue.on('error', onError);
    return {
        async keep(wanted) {
            const known = new Map((await queue.getJobSchedulers()).map((one) => [one.key, one]));
            for (const { job, cron, timezone } of wanted) {
                const current = known.get(job);
                known.delete(job);
                // Setting it again would forget a time that was missed.
                if (current?.pattern === cron && current.tz === timezone && current.next !== undefined)
                    continue;
                await queue.upsertJobScheduler(job, { pattern: cron, tz: timezone }, { name: 'release', opts: JOB_OPTIONS });
            }
            for (const job of known.keys())
                await queue.removeJobScheduler(job);
        },
        async next() {
            const known = await queue.getJobSchedulers();
            return new Map(known.flatMap(({ key, next }) => (next === undefined ? [] : [[key, new Date(next)]])));
        },
        close: () => queue.close(),
    };
}
/** Fires the schedules of a target as long as it runs; one that was missed while nobody ran fires once. */
export function startScheduleWorker(options) {
    const { connection, prefix, release, onError } = options;
    const open = () => {
        const fire = async ({ repeatJobKey }) => release(repeatJobKey ?? '');
        const worker = new Worker(QUEUE_NAME, fire, { connection, prefix, settings, autorun: false });
        worker.on('error', onError);
        worker.on('failed', (_, error) => onError(error));
        return worker;
    };
    // With Redis away a gentle close never ends (FACTS.md, BullMQ); what was in hand is done again.
    const discard = (worker) => worker.close(true);
    const started = startWhenReady({ open, discard, onError });
    return {
        close() {
            started.stop();
            return discard(started.current());
        },
    };
}
/** Durable marks beside the queues of a target. */
export function createReleases(redis, prefix) {
    const key = `${prefix}:released`;
    return {
        async release(job, at) {
            await redis.hset(key, job, at.getTime());
        },
        async all() {
            return new Map(Object.entries(await redis.hgetall(key)).map(([job, ms]) => [job, Number(ms)]));
        },
    };
}
//# sourceMappingURL=schedules.js.map