/**
 * When files of a job with a `schedule` may be taken. Each schedule is one of BullMQ's job
 * schedulers: it fires once whoever watches, and once later where it was missed.
 */

import { type ConnectionOptions, getNextMillis, type Job, Queue, Worker } from 'bullmq';
import type { ScheduleSettings } from '../config/job-definition.ts';
import type { RedisConnection } from '../lib/redis-connection.ts';
import { LOOKING, UNASKED } from './chunk-queue.ts';

const QUEUE_NAME = 'schedules';
const JOB_OPTIONS = { removeOnComplete: true, removeOnFail: { count: 100 } } as const;

export type Schedule = ScheduleSettings & { readonly job: string };

/** As BullMQ reckons it; `null`: never again. */
export function nextTime({ cron, timezone }: ScheduleSettings, after: Date): Date | null {
  const next = getNextMillis(after.getTime(), { pattern: cron, tz: timezone });
  return next === undefined ? null : new Date(next);
}

export function createSchedules(
  connection: ConnectionOptions,
  prefix: string,
  onError: (error: Error) => void,
  /** Keeps nothing. */
  isLooking = false,
) {
  const how = isLooking ? LOOKING : UNASKED;
  const queue = new Queue(QUEUE_NAME, { connection, prefix, ...how });
  queue.on('error', onError);
  return {
    /** A right one keeps what it missed, others are set or removed. */
    async keep(wanted: readonly Schedule[]) {
      const known = new Map((await queue.getJobSchedulers()).map((one) => [one.key, one]));
      for (const { job, cron, timezone } of wanted) {
        const current = known.get(job);
        known.delete(job);
        // Setting it again would forget a missed time.
        if (current?.pattern === cron && current.tz === timezone && current.next !== undefined) continue;
        await queue.upsertJobScheduler(
          job,
          { pattern: cron, tz: timezone },
          { name: 'release', opts: JOB_OPTIONS },
        );
      }
      for (const job of known.keys()) await queue.removeJobScheduler(job);
    },
    /** Job → when its schedule fires next; in the past: missed while nobody watched. */
    async next(): Promise<ReadonlyMap<string, Date>> {
      const known = await queue.getJobSchedulers();
      return new Map(
        known.flatMap(({ key, next }) => (next === undefined ? [] : [[key, new Date(next)] as const])),
      );
    },
    close: () => queue.close(),
  };
}

/** Fires a target's schedules; one missed before fires once. */
export function startScheduleWorker(options: {
  readonly connection: ConnectionOptions;
  readonly prefix: string;
  /** The job's files that are whole by now may be taken. */
  readonly release: (job: string) => Promise<void>;
  readonly onError: (error: Error) => void;
}): { close(): Promise<void> } {
  const { connection, prefix, release, onError } = options;
  const fire = async ({ repeatJobKey }: Job) => release(repeatJobKey ?? '');
  const worker = new Worker(QUEUE_NAME, fire, { ...UNASKED, connection, prefix });
  worker.on('error', onError);
  worker.on('failed', (_, error) => onError(error));
  // Without Redis a gentle close never ends; what was in hand is done again.
  return { close: () => worker.close(true) };
}

/**
 * When each job's schedule last fired, as durable marks beside a target's queues: any watcher may
 * take files that were whole by then.
 */
export function createReleases(redis: RedisConnection, prefix: string) {
  const key = `${prefix}:released`;
  return {
    async release(job: string, at: Date) {
      await redis.hset(key, job, at.getTime());
    },
    /** Job → ms. */
    async all(): Promise<ReadonlyMap<string, number>> {
      return new Map(Object.entries(await redis.hgetall(key)).map(([job, ms]) => [job, Number(ms)]));
    },
  };
}
