/** A command that was started in a group of its own (`detached`), ended with all that it has started. */
import { hasCode } from './errors.ts';

/** Kills the group of that process; one that has ended, or never began, needs nothing. */
export function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (!hasCode(error, 'ESRCH', 'EPERM')) throw error;
  }
}
