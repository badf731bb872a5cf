import { spawn } from 'node:child_process';
import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep } from '../lib/sleep.ts';
import { UsageError } from '../lib/usage-error.ts';
import { findServerProgram } from './find-server.ts';
import { probeSocket } from './probe-socket.ts';
import { pidFile } from './server-process.ts';

const POLL_MS = 20;

/** Where a home's server has its data, and where it listens. */
export type ServerPlace = { readonly folder: string; readonly socket: string };

/** Where the server of a folder writes its log, one server after the other. */
export function serverLog(folder: string): string {
  return join(folder, 'redis.log');
}

/** Starts the server of a folder and waits until it answers; throws a UsageError with the end of its log where it doesn't. */
export async function startServer({ folder, socket }: ServerPlace, timeoutMs: number): Promise<void> {
  const program = await findServerProgram(process.env.PATH ?? '');
  const logPath = serverLog(folder);
  const log = await open(logPath, 'a', 0o600);
  try {
    await rm(socket, { force: true });
    await rm(pidFile(folder), { force: true });
    const child = spawn(program, serverArguments(folder, socket), {
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    const failed = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (code, signal) => resolve(`it ended with ${signal ?? `status ${code}`}`));
    });
    child.unref();
    const waiting = new AbortController();
    const outcome = await Promise.race([untilReady(socket, timeoutMs, waiting.signal), failed]);
    waiting.abort();
    if (outcome !== 'ready') throw new UsageError(await explain(program, outcome, logPath));
  } finally {
    await log.close();
  }
}

function serverArguments(folder: string, socket: string): string[] {
  const settings: Readonly<Record<string, string>> = {
    port: '0',
    unixsocket: socket,
    unixsocketperm: '700',
    dir: folder,
    pidfile: pidFile(folder),
    daemonize: 'no',
    save: '',
    appendonly: 'yes',
    appendfsync: 'always',
    'maxmemory-policy': 'noeviction',
    // The identity ledger is small hashes: these keep them in the compact encoding. The old names work in every version.
    'hash-max-ziplist-entries': '512',
    'hash-max-ziplist-value': '128',
  };
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
}

async function explain(program: string, outcome: string, logPath: string): Promise<string> {
  const lines = (await readFile(logPath, 'utf8')).trimEnd().split('\n').slice(-3).join('\n  ');
  return `The embedded Redis (${program}) did not start: ${outcome}. Its log, ${logPath}, ends with:\n  ${lines}`;
}

async function untilReady(
  socket: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<'ready' | 'it did not answer in time'> {
  const deadline = Date.now() + timeoutMs;
  while (Date.now() < deadline && !signal.aborted) {
    if ((await probeSocket(socket)) === 'ready') return 'ready';
    await sleep(POLL_MS, signal);
  }
  return 'it did not answer in time';
}
