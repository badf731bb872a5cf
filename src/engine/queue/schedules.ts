/**
 * When files of a job with a `schedule` may be taken. Each schedule is one of BullMQ's job
 * schedulers: it fires once whoever watches, and once later where it was missed.
 */

import { type ConnectionOptions, getNextMillis, type Job, Queue, Worker } from 'bullmq';
import type { ScheduleSettings } from '../../config/job-definition.ts';
import type { RedisConnection } from '../../lib/redis-connection.ts';
import { LOOKING, UNASKED } from './chunk-queue.ts';

const QUEUE_NAME = 'schedules';
const JOB_OPTIONS = { removeOnComplete: true, removeOnFail: { count: 100 } } as const;

export type Schedule = ScheduleSettings & { readonly job: string };

/** As BullMQ reckons it; `null`: never again. */
export function nextTime({ cron, timezone }: ScheduleSettings, after: Date): Date | null {
  const next = getNextMillis(after.getTime(), { pattern: cron, tz: timezone });
  return next === undefined ? null : new Date(next);
}

type Schedules = {
  /** A right one keeps what it missed, others are set or removed. */
  keep(wanted: readonly Schedule[]): Promise<void>;
  /** Job → when its schedule fires next; in the past: missed while nobody watched. */
  next(): Promise<ReadonlyMap<string, Date>>;
  close(): Promise<void>;
};

export function createSchedules(
  connection: ConnectionOptions,
  prefix: string,
  onError: (error: Error) => void,
  /** Keeps nothing. */
  isLooking = false,
): Schedules {
  const how = isLooking ? LOOKING : UNASKED;
  const queue = new Queue(QUEUE_NAME, { connection, prefix, ...how });
  queue.on('error', onError);
  return {
    async keep(wanted) {
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
    async next() {
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

/** When each job's schedule last fired: any watcher may take files that were whole by then. */
type Releases = {
  release(job: string, at: Date): Promise<void>;
  /** Job → ms. */
  all(): Promise<ReadonlyMap<string, number>>;
};

/** Durable marks beside a target's queues. */
export function createReleases(redis: RedisConnection, prefix: string): Releases {
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
