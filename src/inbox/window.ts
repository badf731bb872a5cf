import type { Job } from '../config/job-definition.ts';
import { createJobWindow, type JobWindow } from '../delivery/job-window.ts';

/** Whether a job's window is closed. */
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
