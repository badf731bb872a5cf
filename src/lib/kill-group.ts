/** Ends a command started in a group of its own (`detached`), with all its children. */
import { hasCode } from './errors.ts';

/** Does nothing where the process has ended, or never began. */
export function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (!hasCode(error, 'ESRCH', 'EPERM')) throw error;
  }
}
