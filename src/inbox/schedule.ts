/**
 * When files may be taken: schedules, kept in Redis and fired while a process watches, and the
 * windows in which runs may begin.
 */
import type { Job } from '../config/job-definition.ts';
import { createJobWindow, type JobWindow } from '../delivery/job-window.ts';
import { createReleases, createSchedules, type Schedule, startScheduleWorker } from '../queue/schedules.ts';
import type { Watcher } from './watcher.ts';

export function openInboxSchedules({ session, target, book }: Watcher, onRelease: () => void) {
  const { ledger, log } = session;
  const { queuePrefix } = ledger.of(target).keys;
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
    /** Job → when its schedule last fired, ms. */
    releases: releases.all,
    next: schedules.next,
    async close() {
      await worker.close();
      await schedules.close();
    },
  };
}

export type InboxSchedules = ReturnType<typeof openInboxSchedules>;

export function schedulesOf(jobs: readonly Job[]): Schedule[] {
  return jobs.flatMap(({ name, definition: { schedule } }) =>
    schedule === undefined ? [] : [{ job: name, ...schedule }],
  );
}

export type IsClosed = (job: Pick<Job, 'definition'>) => boolean;

export function createWindows(now: () => Date): IsClosed {
  const windows = new Map<string, JobWindow | null>();
  return ({ definition: { window } }) => {
    if (window === undefined) return false;
    const known = windows.get(window) ?? createJobWindow(window, now);
    windows.set(window, known);
    return known !== null && !known.isOpen();
  };
}
