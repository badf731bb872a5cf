/**
 * What a span of time took of the processors: of the processes that the bench has started, and of all others on the machine. It is read
 * from `/proc/<pid>/stat` of the bench and of everything below it, where Linux keeps the times of the children that have ended, too, and
 * from `/proc/stat`. Where there is no /proc nothing is measured.
 */

import { readdir, readFile } from 'node:fs/promises';

/** Linux counts in hundredths of a second, whatever its timer does (USER_HZ). */
const MICROS_PER_TICK = 10_000;

/** Times are µs of processor time, user and system, of all threads. */
export type Spent = {
  /** Of all processes below the bench. */
  readonly micros: number;
  /** Of those that were asked for by name, and of all below them. */
  readonly partMicros: Readonly<Record<string, number>>;
  /** Shares of all processors' time, 0 to 1: in use, and of that by processes which are not the bench's. */
  readonly busy: number;
  readonly others: number;
};

/** Processes that run from before the span to its end: their name and their ids. */
export type Parts = Readonly<Record<string, readonly number[]>>;

/** From now on; answers what was spent since, or `null` where it can't be measured. */
export async function startMeter(parts: Parts = {}): Promise<() => Promise<Spent | null>> {
  const before = await readTimes(parts);
  return async () => {
    const after = await readTimes(parts);
    return before === null || after === null ? null : spentBetween(before, after);
  };
}

/** Everything since the machine or the processes were started, µs. */
export type Times = {
  readonly machine: MachineTimes;
  /** The bench itself. */
  readonly bench: number;
  /** All that it has started, ended ones included. */
  readonly started: number;
  readonly parts: Readonly<Record<string, number>>;
};

async function readTimes(parts: Parts): Promise<Times | null> {
  const stat = await readFile('/proc/stat', 'utf8').catch(() => null);
  if (stat === null) return null;
  const [bench = NO_TIMES, ...below] = await timesBelow(process.pid);
  const named = Object.entries(parts).map(async ([name, pids]) => {
    const trees = await Promise.all(pids.map(timesBelow));
    return [name, sum(trees.flat().map(allOf))] as const;
  });
  return {
    machine: parseMachineTimes(stat),
    bench: bench.own,
    started: bench.ended + sum(below.map(allOf)),
    parts: Object.fromEntries(await Promise.all(named)),
  };
}

/** What lies between two readings. */
export function spentBetween(before: Times, after: Times): Spent {
  const micros = after.started - before.started;
  const all = after.machine.all - before.machine.all;
  const busy = after.machine.busy - before.machine.busy;
  const own = micros + after.bench - before.bench;
  const parts = Object.entries(after.parts).map(
    ([name, total]) => [name, total - (before.parts[name] ?? 0)] as const,
  );
  return {
    micros,
    partMicros: Object.fromEntries(parts),
    busy: shareOf(busy, all),
    others: shareOf(busy - own, all),
  };
}

/** The machine's counters are samples, so that for a moment they may be behind those of its processes. */
function shareOf(part: number, all: number): number {
  return all > 0 ? Math.min(Math.max(part / all, 0), 1) : 0;
}

type ProcessTimes = {
  readonly own: number;
  /** Of its children that have ended, and theirs. */
  readonly ended: number;
};

const NO_TIMES: ProcessTimes = { own: 0, ended: 0 };

/** From the text of `/proc/<pid>/stat`. */
export function parseProcessTimes(stat: string): ProcessTimes {
  // Its name, in brackets, may have spaces and brackets; behind it the 12th to 15th fields are utime, stime, cutime, cstime.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15).map(Number);
  return { own: (user + system) * MICROS_PER_TICK, ended: (endedUser + endedSystem) * MICROS_PER_TICK };
}

type MachineTimes = { readonly busy: number; readonly all: number };

/** From the text of `/proc/stat`, over all processors. What a hypervisor took away (steal) is busy: the bench did not have it. */
export function parseMachineTimes(stat: string): MachineTimes {
  const line = /^cpu +(.*)$/m.exec(stat)?.[1] ?? '';
  // Behind the eighth come the times of guests, which are contained in the first two.
  const ticks = line.split(' ').slice(0, 8).map(Number);
  const [, , , idle = 0, waiting = 0] = ticks;
  const all = sum(ticks);
  return { busy: (all - idle - waiting) * MICROS_PER_TICK, all: all * MICROS_PER_TICK };
}

/** A process first, then all below it. */
async function timesBelow(pid: number): Promise<readonly ProcessTimes[]> {
  return Promise.all((await withChildren(pid)).map(timesOf));
}

async function timesOf(pid: number): Promise<ProcessTimes> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  return stat === null ? NO_TIMES : parseProcessTimes(stat);
}

/** A process and all below it; only itself where it is gone meanwhile. */
export async function withChildren(pid: number): Promise<readonly number[]> {
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

function allOf({ own, ended }: ProcessTimes): number {
  return own + ended;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
