/**
 * A command of the operator's, run by the shell in a process group of its own, which is killed as
 * a whole. No message holds the command or what it printed.
 */
import { spawn } from 'node:child_process';
import { errorCode, hasCode } from './errors.ts';

type ShellOptions = {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Without it there is none to wait for. */
  readonly input?: string;
  /** Left out: what is printed goes nowhere. */
  readonly mostBytes?: number;
  readonly timeoutMs: number;
  readonly stop?: AbortSignal;
};

/** `problem`: to follow the command's name. */
type ShellEnd = { readonly text: string } | { readonly problem: string };

/** A process left behind may hold the pipe open. */
const DRAIN_MS = 200;

export function runShell(command: string, options: ShellOptions): Promise<ShellEnd> {
  const { env = process.env, input, mostBytes = 0, timeoutMs, stop } = options;
  return new Promise((resolve) => {
    const stdin = input === undefined ? 'ignore' : 'pipe';
    const stdout = mostBytes === 0 ? 'ignore' : 'pipe';
    const child = spawn('/bin/sh', ['-c', command], {
      stdio: [stdin, stdout, 'ignore'],
      detached: true,
      env: { ...env },
    });
    const chunks: Buffer[] = [];
    let size = 0;
    const kill = () => killGroup(child.pid);
    const late = () => killed(`did not end within ${timeoutMs / 1000} s`);
    const end = (how: ShellEnd) => {
      clearTimeout(timer);
      stop?.removeEventListener('abort', late);
      process.off('exit', kill);
      child.stdout?.destroy();
      resolve(how);
    };
    const killed = (problem: string) => {
      kill();
      end({ problem });
    };
    const timer = setTimeout(late, timeoutMs);
    stop?.addEventListener('abort', late);
    process.once('exit', kill);
    // A command that reads nothing closes its input.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
    child.stdout?.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > mostBytes) killed(`printed more than ${mostBytes / 1024} KiB`);
    });
    child.once('error', (error) => end({ problem: `could not be started (${errorCode(error)})` }));
    child.once('exit', (status, signal) => {
      const problem = problemOfEnd(status, signal);
      if (problem !== null) return end({ problem });
      const take = () => end({ text: Buffer.concat(chunks).toString('utf8') });
      if (child.stdout === null) return take();
      child.stdout.once('end', take);
      // What the command printed is in the pipe by now: it is read before the immediate runs.
      setTimeout(() => setImmediate(take), DRAIN_MS);
    });
  });
}

/** `null`: it ended well. */
export function problemOfEnd(status: number | null, signal: string | null): string | null {
  if (status === 0) return null;
  return signal === null ? `ended with status ${status}` : `was ended by ${signal}`;
}

/** A process that has ended, or never began, needs nothing. */
export function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (!hasCode(error, 'ESRCH', 'EPERM')) throw error;
  }
}
