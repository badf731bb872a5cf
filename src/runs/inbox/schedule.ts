/** When files may be taken: schedules and windows. */
import type { Job } from '../../config/job-definition.ts';
import { createJobWindow } from '../../delivery/job-window.ts';
import {
  createReleases,
  createSchedules,
  type Schedule,
  startScheduleWorker,
} from '../../engine/queue/schedules.ts';
import type { Watcher } from './watcher.ts';

export function openInboxSchedules({ session, target, book }: Watcher) {
  const { ledger, log } = session;
  const { queuePrefix } = ledger.of(target).keys;
  const onError = (error: Error) => log.warn('schedules', { problem: error.message });
  const schedules = createSchedules(ledger.redis, queuePrefix, onError);
  const { release } = createReleases(ledger.redis, queuePrefix);
  const worker = startScheduleWorker({
    connection: ledger.redis,
    prefix: queuePrefix,
    release: (job) => release(job, new Date()),
    onError,
  });
  return {
    keep: () => schedules.keep(schedulesOf(book.jobs())),
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

export function isHeldByWindow({ definition }: Pick<Job, 'definition'>): boolean {
  const window = createJobWindow(definition.window, () => new Date());
  return window !== null && !window.isOpen();
}
