/**
 * A command of the operator's as a filter: bytes in, bytes out, nothing on a disk. It is run by the
 * shell in a process group of its own, which is killed as a whole. No message holds the command or
 * what it printed beside its output.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { errorCode } from './errors.ts';
import { killGroup, problemOfEnd } from './shell-command.ts';

type FilterOptions = {
  /** Of the whole command, ms. */
  readonly timeoutMs: number;
  /** Of `problem`, which is to follow the command's name. */
  readonly failed: (problem: string) => Error;
};

/** Reads `bytes` to their end, whatever the command takes of them. Ends with its consumer. */
export async function* shellFilter(
  bytes: AsyncGenerator<Buffer>,
  command: string,
  { timeoutMs, failed }: FilterOptions,
): AsyncGenerator<Buffer, void, undefined> {
  const child = spawn('/bin/sh', ['-c', command], { stdio: ['pipe', 'pipe', 'ignore'], detached: true });
  const kill = () => killGroup(child.pid);
  process.once('exit', kill);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    kill();
  }, timeoutMs);
  const ended = endOf(child);
  const fed = feed(bytes, child.stdin);
  // Whoever stops early hears nothing of it; the loop below waits for it otherwise.
  fed.catch(() => undefined);
  try {
    for await (const block of child.stdout) yield block;
    await fed;
    const problem = await ended;
    if (isLate) throw failed(`did not end within ${timeoutMs / 1000} s`);
    if (problem !== null) throw failed(problem);
  } finally {
    clearTimeout(timer);
    process.off('exit', kill);
    kill();
    await bytes.return(undefined);
  }
}

/** `null`: it ended well. */
function endOf(child: ChildProcess): Promise<string | null> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`could not be started (${errorCode(error)})`));
    child.once('exit', (status, signal) => resolve(problemOfEnd(status, signal)));
  });
}

async function feed(bytes: AsyncGenerator<Buffer>, input: Writable): Promise<void> {
  // A command that reads no further closes its input.
  input.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => input.once('close', resolve));
  for await (const block of bytes) {
    if (input.destroyed || input.write(block)) continue;
    await Promise.race([new Promise<void>((resolve) => input.once('drain', resolve)), closed]);
  }
  input.end();
}
