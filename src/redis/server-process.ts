import { execFile } from 'node:child_process';
import { readFile, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isAlive } from './is-alive.ts';

/** Where the server of a folder writes its process id; it takes the file away when it ends in peace. */
export function pidFile(folder: string): string {
  return join(folder, 'redis.pid');
}

/**
 * The process id of the folder's server, as long as that process is there, answering or not; `null`: it is gone.
 * A second server on the same append-only file would ruin it.
 */
export async function serverProcess(folder: string): Promise<number | null> {
  const pid = Number.parseInt(await readFile(pidFile(folder), 'utf8').catch(() => ''), 10);
  if (!(pid > 0) || !isAlive(pid)) return null;
  return (await isServerOf(folder, pid)) ? pid : null;
}

/** A process id may have passed to another program since: a server works in its data folder. */
async function isServerOf(folder: string, pid: number): Promise<boolean> {
  if (process.platform === 'linux') {
    const workingFolder = await readlink(`/proc/${pid}/cwd`).catch(() => null);
    return workingFolder === (await realpath(folder));
  }
  const command = await promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => null);
  return command === null || /redis|valkey/.test(command.stdout);
}
