import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { sleep, withDeadline } from '../src/lib/waiting.ts';
import { withChildren } from './cpu.ts';

const GENTLE_MS = 5_000;

/** How a process ended; `seconds` is from its start to its exit. */
export type Ended = {
  readonly exitCode: number | null;
  readonly seconds: number;
  readonly stdout: string;
  readonly stderr: string;
};

export type Started = {
  readonly pid: number;
  /** Milliseconds of `Date.now()`, with fractions, just before the process was asked for. */
  readonly startedAt: number;
  readonly ended: Promise<Ended>;
  /** Its stdout so far, once it has written that text there or to stderr; an Error where it ends before. */
  said(text: string): Promise<string>;
  /** Ends it gently (SIGTERM), and by force where that takes long. */
  stop(): Promise<void>;
};

/** The processes of one bench: none outlives it. */
export type Processes = {
  start(program: string, args: readonly string[], env?: Readonly<Record<string, string>>): Started;
  stopAll(): Promise<void>;
  /** The same, and from now on none is started: whoever wants one gets an Error. */
  close(): Promise<void>;
  isClosed(): boolean;
};

export function createProcesses(): Processes {
  const running = new Set<Started>();
  let isClosed = false;
  const stopAll = async () => {
    await Promise.all([...running].map((one) => one.stop()));
  };
  return {
    start(program, args, env = {}) {
      if (isClosed) throw new Error('interrupted');
      const started = startProcess(program, args, env);
      running.add(started);
      started.ended.finally(() => running.delete(started)).catch(() => undefined);
      return started;
    },
    stopAll,
    close() {
      isClosed = true;
      return stopAll();
    },
    isClosed: () => isClosed,
  };
}

function startProcess(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Started {
  const startedAt = performance.timeOrigin + performance.now();
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH ?? '', ...env },
  });
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk;
    });
  }
  const ended = endOf(child, text, startedAt);
  // Whoever waits for something it says has its own words for an early end.
  ended.catch(() => undefined);
  return {
    pid: child.pid ?? 0,
    startedAt,
    ended,
    async said(words) {
      const gone = ended.then(() => true);
      while (!text.stdout.includes(words) && !text.stderr.includes(words)) {
        if (await Promise.race([gone, sleep(10).then(() => false)]))
          throw new Error(`${program} ended before it said "${words}": ${text.stderr}`);
      }
      return text.stdout;
    },
    async stop() {
      child.kill('SIGTERM');
      if ((await withDeadline(ended, GENTLE_MS)) === 'late') child.kill('SIGKILL');
      await ended;
    },
  };
}

function endOf(
  child: ChildProcess,
  text: Pick<Ended, 'stdout' | 'stderr'>,
  startedAt: number,
): Promise<Ended> {
  let seconds = 0;
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => {
      seconds = (performance.timeOrigin + performance.now() - startedAt) / 1000;
    });
    child.once('close', (exitCode) => resolve({ exitCode, seconds, ...text }));
  });
}

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
