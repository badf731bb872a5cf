/**
 * Commands that the page starts as processes of their own: whatever reads a file that somebody sent in may run out of memory or never end,
 * and takes nothing with it but itself.
 */
import { spawn } from 'node:child_process';
import { killGroup } from '../lib/kill-group.ts';
import { createSemaphore } from '../lib/semaphore.ts';
import { programFile } from '../lib/version.ts';

export type ChildEnd = {
  readonly exitCode: number | null;
  readonly stdout: string;
  /** What it told people, a line each. */
  readonly problems: readonly string[];
};

const AT_ONCE = 2;
const HEAP_MB = 512;
const LONGEST_MS = 600_000;
/** Far more than a check of any file says. */
const MOST_CHARACTERS = 16 * 1024 * 1024;

/** Runs `onboard`, two at a time; whatever an operand is called, it is no option. `stopped` ends those under way. */
export function createChildren(env: NodeJS.ProcessEnv, stopped: AbortSignal) {
  const places = createSemaphore(AT_ONCE);
  return async (options: readonly string[], operands: readonly string[]): Promise<ChildEnd> => {
    const release = await places.acquire();
    try {
      return await run([...options, '--', ...operands], { env, stopped });
    } finally {
      release();
    }
  };
}

export type RunChild = ReturnType<typeof createChildren>;

type Bounds = { readonly env: NodeJS.ProcessEnv; readonly stopped: AbortSignal };

function run(args: readonly string[], { env, stopped }: Bounds): Promise<ChildEnd> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [`--max-old-space-size=${HEAP_MB}`, programFile(), ...args], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own: what it started ends with it.
      detached: true,
    });
    const said = { stdout: '', stderr: '' };
    let why: string | null = null;
    const end = (reason: string) => {
      why ??= reason;
      killGroup(child.pid);
    };
    const hear = (name: 'stdout' | 'stderr') => (text: string) => {
      said[name] += text;
      if (said[name].length > MOST_CHARACTERS) end('It said more than could be shown.');
    };
    child.stdout.setEncoding('utf8').on('data', hear('stdout'));
    child.stderr.setEncoding('utf8').on('data', hear('stderr'));
    const timer = setTimeout(() => end(`It took longer than ${LONGEST_MS / 60_000} minutes.`), LONGEST_MS);
    const stop = () => end('The page ended meanwhile.');
    stopped.addEventListener('abort', stop, { once: true });
    const settle = () => {
      clearTimeout(timer);
      stopped.removeEventListener('abort', stop);
    };
    child.once('error', (error) => {
      settle();
      reject(error);
    });
    child.once('close', (exitCode) => {
      settle();
      const lines = said.stderr.split('\n').filter((line) => line.trim() !== '');
      resolve({ exitCode, stdout: said.stdout, problems: why === null ? lines : [why] });
    });
  });
}
