import type { Job } from '../config/job-definition.ts';
import { createReleases, createSchedules, type Schedule, startScheduleWorker } from '../queue/schedules.ts';
import type { InboxDesk } from './desk.ts';

/** The schedules of the definitions, kept and fired as long as this process watches. */
export type InboxSchedules = {
  /** Makes the schedules in Redis those of the definitions. */
  keep(): Promise<void>;
  /** Job → when its schedule fired last, milliseconds. */
  releases(): Promise<ReadonlyMap<string, number>>;
  /** Job → when it fires next. */
  next(): Promise<ReadonlyMap<string, Date>>;
  close(): Promise<void>;
};

export function openInboxSchedules({ runs, book }: InboxDesk, onRelease: () => void): InboxSchedules {
  const { ledger, service, log } = runs;
  const { queuePrefix } = ledger.of(service.target).keys;
  const onError = (error: Error) => log.warn('schedules', { problem: error.message });
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
    keep: () => schedules.keep(schedulesOf(book.jobs())),
    releases: releases.all,
    next: schedules.next,
    async close() {
      await worker.close();
      await schedules.close();
    },
  };
}

/** The schedules of those definitions that have one. */
export function schedulesOf(jobs: readonly Job[]): Schedule[] {
  return jobs.flatMap(({ name, definition: { schedule } }) =>
    schedule === undefined ? [] : [{ job: name, ...schedule }],
  );
}
