import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { serverProcess } from '../src/redis/server-process.ts';

/** Ends every embedded Redis that a killed process has left in the homes below a folder. */
export async function endLeftRedis(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const pid = await serverProcess(join(folder, name, 'redis'));
    if (pid !== null) process.kill(pid, 'SIGKILL');
  }
}
