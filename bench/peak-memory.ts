import { readdir, readFile } from 'node:fs/promises';
import { sleep } from '../src/lib/waiting.ts';

/** Often enough: what is read is the most that there ever was. */
const LOOK_MS = 200;
export const BYTES_PER_MB = 1_000_000;

/** Follows a process and its children until it ends; answers the most that any one of them had in memory, in MB. */
export async function peakMemory(pid: number, ended: Promise<unknown>): Promise<number> {
  let peak = 0;
  let isOver = false;
  const over = ended.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    for (const one of await withChildren(pid)) peak = Math.max(peak, await memoryPeakOf(one));
    await Promise.race([over, sleep(LOOK_MS)]);
  }
  if (peak === 0) throw new Error('no /proc/<pid>/status: memory can be measured on Linux only');
  return peak;
}

/** The most that a process has had in memory so far, in MB; 0 where it is gone. */
export async function memoryPeakOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return (Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024) / BYTES_PER_MB;
}

/** A process and all below it; only itself where it is gone meanwhile. */
async function withChildren(pid: number): Promise<readonly number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '')),
  );
  const children = lists.flatMap((list) =>
    list
      .split(' ')
      .filter((id) => id !== '')
      .map(Number),
  );
  const below = await Promise.all(children.map(withChildren));
  return [pid, ...below.flat()];
}
