import { readFile } from 'node:fs/promises';
import { sleep } from '../../src/lib/waiting.ts';

/** Linux counts in hundredths of a second, whatever its timer does (USER_HZ). */
const MICROS_PER_TICK = 10_000;
const LOOK_MS = 50;

/** CPU time that a process has used so far, all threads, µs; `null` where it is gone. */
export async function cpuMicrosOf(pid: number): Promise<number | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (stat === null) return null;
  // Its name, in brackets, may have spaces; behind it the 12th and the 13th field are user and system time.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MICROS_PER_TICK;
}

/** Follows a process to its end; answers the CPU time it had used when it was last looked at, µs. */
export async function cpuMicrosUntilEnd(pid: number, ended: Promise<unknown>): Promise<number> {
  let used = 0;
  let isOver = false;
  const over = ended.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    used = Math.max(used, (await cpuMicrosOf(pid)) ?? 0);
    await Promise.race([over, sleep(LOOK_MS)]);
  }
  return used;
}
