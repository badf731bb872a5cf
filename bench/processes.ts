/** The processes of one bench: none outlives it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { sleep, withDeadline } from '../src/lib/waiting.ts';

const GENTLE_MS = 5_000;
const LOOK_MS = 10;

/** How a process ended; `seconds` is from its start to its exit. */
export type Ended = {
  readonly exitCode: number | null;
  readonly seconds: number;
  readonly stdout: string;
  readonly stderr: string;
};

export type Started = {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  /** Its stdout so far, once that text stands there or in stderr; an Error when it ends before. */
  said(text: string): Promise<string>;
  /** Ends it with SIGTERM, and with SIGKILL when that takes long. */
  stop(): Promise<void>;
};

export type Processes = {
  start(program: string, args: readonly string[], env?: Readonly<Record<string, string>>): Started;
  stopAll(): Promise<void>;
};

export function createProcesses(): Processes {
  const running = new Set<Started>();
  return {
    start(program, args, env = {}) {
      const started = startProcess(program, args, env);
      running.add(started);
      started.ended.finally(() => running.delete(started)).catch(() => undefined);
      return started;
    },
    async stopAll() {
      await Promise.all([...running].map((one) => one.stop()));
    },
  };
}

function startProcess(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Started {
  const from = performance.now();
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
  const ended = endOf(child, text, from);
  // Whoever waits for something it says has an error of its own for an early end.
  ended.catch(() => undefined);
  return {
    pid: child.pid ?? 0,
    ended,
    async said(words) {
      const gone = ended.then(() => true);
      while (!text.stdout.includes(words) && !text.stderr.includes(words)) {
        if (await Promise.race([gone, sleep(LOOK_MS).then(() => false)]))
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

function endOf(child: ChildProcess, text: Pick<Ended, 'stdout' | 'stderr'>, from: number): Promise<Ended> {
  let seconds = 0;
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => {
      seconds = (performance.now() - from) / 1000;
    });
    child.once('close', (exitCode) => resolve({ exitCode, seconds, ...text }));
  });
}

/** How a process ended that has to succeed; an Error with its own message when it did not. */
export function succeeded(ended: Ended, what: string): Ended {
  if (ended.exitCode === 0) return ended;
  throw new Error(`${what} ended with status ${ended.exitCode}: ${ended.stderr.slice(-2000)}`);
}
