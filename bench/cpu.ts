/**
 * What a span of time took of the processors, from /proc: of the program, of the servers beside it,
 * and of everybody else on the machine. The program's processes have to end within the span: Linux
 * adds their time, and that of their children, to what the bench has for its own children that
 * ended.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { UsageError } from '../src/lib/usage-error.ts';

/** Linux counts in hundredths of a second, whatever its timer does (USER_HZ). */
const MICROS_PER_TICK = 10_000;

export type Spent = {
  /**
   * µs of CPU, user and system, all threads: of `All`, of the `Program`, and of each server by its
   * name.
   */
  readonly micros: Readonly<Record<string, number>>;
  /** The share of all processors' time, 0 to 1, that processes used which are not the bench's. */
  readonly others: number;
};

/** Processes that run from before the span to its end, by name. */
export type Standing = Readonly<Record<string, readonly number[]>>;

export function assertCanMeasure(): void {
  if (!existsSync('/proc/self/stat'))
    throw new UsageError('CPU and memory are read from /proc: the benchmark runs on Linux only.');
}

/** Begins a span; the function it returns ends it. */
export async function startMeter(standing: Standing = {}): Promise<() => Promise<Spent>> {
  const before = await readTimes(standing);
  return async () => spentBetween(before, await readTimes(standing));
}

type Times = {
  readonly busy: number;
  readonly all: number;
  readonly bench: number;
  readonly parts: Readonly<Record<string, number>>;
};

function spentBetween(before: Times, after: Times): Spent {
  const parts = Object.entries(after.parts).map(
    ([name, micros]) => [name, micros - (before.parts[name] ?? 0)] as const,
  );
  const all = parts.reduce((sum, [, micros]) => sum + micros, 0);
  const others = after.busy - before.busy - (after.bench - before.bench) - all;
  return {
    micros: { All: all, ...Object.fromEntries(parts) },
    others: Math.max(0, others) / Math.max(1, after.all - before.all),
  };
}

async function readTimes(standing: Standing): Promise<Times> {
  const [own, machine] = await Promise.all([timesOf('self'), readFile('/proc/stat', 'utf8')]);
  const parts = Object.entries(standing).map(async ([name, pids]) => {
    const times = await Promise.all(pids.map(timesOf));
    return [name, times.reduce((sum, { own, ended }) => sum + own + ended, 0)] as const;
  });
  // Behind the eighth come the times of guests, which are contained in the first two. What a
  // hypervisor took away (steal) is busy: the bench did not have it.
  const ticks = (/^cpu +(.*)$/m.exec(machine)?.[1] ?? '').split(' ').slice(0, 8).map(Number);
  const [, , , idle = 0, waiting = 0] = ticks;
  const all = ticks.reduce((sum, one) => sum + one, 0);
  return {
    busy: (all - idle - waiting) * MICROS_PER_TICK,
    all: all * MICROS_PER_TICK,
    bench: own.own,
    parts: { Program: own.ended, ...Object.fromEntries(await Promise.all(parts)) },
  };
}

/** Of a process, and of its children that have ended, µs. */
async function timesOf(pid: number | 'self'): Promise<{ readonly own: number; readonly ended: number }> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // Its name, in brackets, may have spaces; behind it fields 12 to 15 are utime, stime, cutime,
  // cstime.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15).map(Number);
  return { own: (user + system) * MICROS_PER_TICK, ended: (endedUser + endedSystem) * MICROS_PER_TICK };
}

/** The most that a process has had in memory so far, in MB; 0 when it is gone. */
export async function memoryPeak(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return (Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024) / 1_000_000;
}
