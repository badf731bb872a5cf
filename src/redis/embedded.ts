import { spawn } from 'node:child_process';
import { mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Redis } from 'ioredis';
import lockfile from 'proper-lockfile';
import { shortDigest } from '../lib/digest.ts';
import { sleep } from '../lib/sleep.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { RedisAddress } from './connection.ts';
import { findServerProgram } from './find-server.ts';

/** A Unix socket's path may take 107 bytes on Linux and 103 on macOS. */
const SOCKET_PATH_MAX_BYTES = 100;
/** Loading a large append-only file takes a while. */
const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 15_000;
const POLL_MS = 20;
/** A holder that was killed between taking and releasing the lock delays the next start by this long at most. */
const LOCK_STALE_MS = 5_000;

export type EmbeddedRedis = {
  readonly address: RedisAddress;
  /** Stops the server, unless another command on the same home still uses it: the last one out stops it. */
  close(): Promise<void>;
};

/**
 * A real server as a child process on a Unix socket in `<home>/redis`: append-only with fsync always, noeviction.
 * The first command on a home starts it, others join it, also after its first owner was killed.
 * It belongs to its own process group, so that a signal to the terminal doesn't end it before the rows in flight are recorded.
 */
export async function joinEmbeddedRedis(home: string): Promise<EmbeddedRedis> {
  const folder = join(home, 'redis');
  await mkdir(join(folder, 'users'), { recursive: true, mode: 0o700 });
  const socket = socketPath(folder);
  await mkdir(dirname(socket), { recursive: true, mode: 0o700 });
  const me = join(folder, 'users', String(process.pid));
  await underLock(folder, async () => {
    if (!(await answers(socket))) await start(folder, socket);
    await writeFile(me, '');
  });
  return { address: { kind: 'socket', path: socket }, close: () => leave(folder, socket, me) };
}

function socketPath(folder: string): string {
  const path = join(folder, 'redis.sock');
  if (Buffer.byteLength(path) <= SOCKET_PATH_MAX_BYTES) return path;
  return join(tmpdir(), `onboard-${shortDigest(folder, 16)}`, 'redis.sock');
}

async function leave(folder: string, socket: string, me: string): Promise<void> {
  await underLock(folder, async () => {
    await rm(me, { force: true });
    if ((await liveUsers(folder)) === 0) await shutDown(socket);
  });
}

/** Users that were killed leave their mark behind: it is swept here. */
async function liveUsers(folder: string): Promise<number> {
  let live = 0;
  for (const name of await readdir(join(folder, 'users'))) {
    if (isAlive(Number(name))) live += 1;
    else await rm(join(folder, 'users', name), { force: true });
  }
  return live;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

async function underLock(folder: string, work: () => Promise<void>): Promise<void> {
  const release = await lockfile.lock(folder, {
    stale: LOCK_STALE_MS,
    // A process that was stopped for longer than that has lost the lock; all it does under it may be done twice.
    onCompromised: () => undefined,
    update: LOCK_STALE_MS / 5,
    retries: { retries: 3000, factor: 1, minTimeout: POLL_MS * 2, maxTimeout: POLL_MS * 2 },
  });
  try {
    await work();
  } finally {
    await release();
  }
}

async function start(folder: string, socket: string): Promise<void> {
  const program = await findServerProgram(process.env.PATH ?? '');
  const logPath = join(folder, 'redis.log');
  const log = await open(logPath, 'a', 0o600);
  try {
    await rm(socket, { force: true });
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
    const outcome = await Promise.race([untilAnswers(socket, waiting.signal), failed]);
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

async function untilAnswers(
  socket: string,
  signal: AbortSignal,
): Promise<'ready' | 'it did not answer in time'> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline && !signal.aborted) {
    if (await answers(socket)) return 'ready';
    await sleep(POLL_MS, signal);
  }
  return 'it did not answer in time';
}

/** Whether a server on the socket is ready for commands: one that is still loading its file is not. */
async function answers(socket: string): Promise<boolean> {
  return withProbe(socket, async (redis) => (await redis.ping()) === 'PONG');
}

async function shutDown(socket: string): Promise<void> {
  await withProbe(socket, async (redis) => {
    await redis.shutdown();
    return true;
  });
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  while ((await answers(socket)) && Date.now() < deadline) await sleep(POLL_MS);
}

async function withProbe(socket: string, ask: (redis: Redis) => Promise<boolean>): Promise<boolean> {
  const redis = new Redis(socket, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    return await ask(redis);
  } catch {
    return false;
  } finally {
    redis.disconnect();
  }
}
