/**
 * The Redis server of a home, where REDIS_URL is unset: joined where it runs, started where it doesn't, started again when
 * it is lost, and ended by the last process that uses it. A full disk is reported once, in words.
 */
import { readdir, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import lockfile from 'proper-lockfile';
import { makeHomeFolder } from '../config/environment.ts';
import { shortDigest } from '../lib/digest.ts';
import { makeFolder } from '../lib/make-folder.ts';
import type { RedisConnection } from '../lib/redis-connection.ts';
import { UsageError } from '../lib/usage-error.ts';
import { sleep } from '../lib/waiting.ts';
import type { SingleAddress } from './client-options.ts';
import {
  askToEnd,
  isAlive,
  pidFile,
  probeSocket,
  type ServerPlace,
  serverLog,
  serverProcess,
  startServer,
} from './server-process.ts';

/** A Unix socket's path may take 107 bytes on Linux and 103 on macOS. */
const SOCKET_PATH_MAX_BYTES = 100;
/** Loading a large append-only file takes a while. */
const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 15_000;
const POLL_MS = 20;
/** A holder that was killed between taking and releasing the lock delays the next start by this long at most. */
const LOCK_STALE_MS = 5_000;

export type EmbeddedRedis = {
  readonly address: Extract<SingleAddress, { readonly kind: 'socket' }>;
  /**
   * Starts the server again if it is gone; false where it does not answer yet, so that the caller asks again. A server
   * that runs but doesn't answer is left alone. Any number of processes may call this at the same time.
   */
  revive(): Promise<boolean>;
  /** Stops the server, unless another command on the same home still uses it: the last to leave stops it. */
  close(): Promise<void>;
};

/**
 * A real server as a child process on a Unix socket in `<home>/redis`: append-only with fsync always, noeviction.
 * The first command on a home starts it, others join it, also after its first owner was killed.
 * The server is in a process group of its own, so that a signal to the terminal doesn't end it before the rows in flight are
 * recorded.
 */
export async function joinEmbeddedRedis(home: string): Promise<EmbeddedRedis> {
  const folder = await makeHomeFolder(home, 'redis');
  await makeFolder(join(folder, 'users'));
  const place = { folder, socket: socketPath(folder) };
  await makeFolder(dirname(place.socket));
  const me = join(folder, 'users', String(process.pid));
  await underLock(folder, async () => {
    await untilReady(place);
    await writeFile(me, '');
  });
  return {
    address: { kind: 'socket', path: place.socket, login: null, database: 0 },
    revive: () => underLock(folder, () => isReady(place)),
    close: () => leave(place, me),
  };
}

function socketPath(folder: string): string {
  const path = join(folder, 'redis.sock');
  if (Buffer.byteLength(path) <= SOCKET_PATH_MAX_BYTES) return path;
  return join(tmpdir(), `onboard-${shortDigest(folder, 16)}`, 'redis.sock');
}

async function untilReady(place: ServerPlace): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await isReady(place))) {
    if (Date.now() > deadline) throw new UsageError(await explainSilence(place.folder));
    await sleep(POLL_MS);
  }
}

/** Whether the server answers; a server that is gone is started. To be called under the lock only. */
async function isReady(place: ServerPlace): Promise<boolean> {
  const state = await probeSocket(place.socket);
  if (state !== 'silent') return state === 'ready';
  if ((await serverProcess(place.folder)) !== null) return false;
  await startServer(place, START_TIMEOUT_MS);
  return true;
}

async function explainSilence(folder: string): Promise<string> {
  const pid = await serverProcess(folder);
  const which = pid === null ? 'Its server' : `Its server, process ${pid},`;
  return (
    `The embedded Redis in ${folder} does not answer. ${which} holds the data folder, so no second one is started: ` +
    `let it go on (kill -CONT) or end it, and try again. If that process is no Redis, remove ${pidFile(folder)}.`
  );
}

async function leave(place: ServerPlace, me: string): Promise<void> {
  await underLock(place.folder, async () => {
    await rm(me, { force: true });
    if ((await liveUsers(place.folder)) === 0) await shutDown(place);
  });
}

/** Processes that were killed leave their mark behind: it is removed here. */
async function liveUsers(folder: string): Promise<number> {
  let live = 0;
  for (const name of await readdir(join(folder, 'users'))) {
    if (isAlive(Number(name))) live += 1;
    else await rm(join(folder, 'users', name), { force: true });
  }
  return live;
}

/** Whoever removes the home after this must find it at rest. */
async function shutDown({ folder, socket }: ServerPlace): Promise<void> {
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  await askToEnd(socket);
  while (Date.now() < deadline) {
    if ((await probeSocket(socket)) === 'silent' && (await serverProcess(folder)) === null) return;
    await sleep(POLL_MS);
  }
}

async function underLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const release = await lockfile.lock(folder, {
    stale: LOCK_STALE_MS,
    // A process that was stopped for longer has lost the lock; all that is done under the lock may be done twice.
    onCompromised: () => undefined,
    update: LOCK_STALE_MS / 5,
    retries: { retries: 3000, factor: 1, minTimeout: POLL_MS * 2, maxTimeout: POLL_MS * 2 },
  });
  try {
    return await work();
  } finally {
    await release();
  }
}

/**
 * Has the server revived each time the connection is lost, until the server is back. A connection that the process closes
 * itself is not lost. `stop` ends the watch, and waits for an attempt under way.
 */
export function reviveOnLoss(
  redis: RedisConnection,
  revive: () => Promise<boolean>,
  onTrouble: (error: Error) => void,
): { stop(): Promise<void> } {
  let attempt: Promise<void> | null = null;
  const tryOnce = async () => {
    try {
      await revive();
    } catch (error) {
      onTrouble(error instanceof Error ? error : new Error(String(error)));
    } finally {
      attempt = null;
    }
  };
  const onReconnecting = () => {
    attempt ??= tryOnce();
  };
  redis.on('reconnecting', onReconnecting);
  return {
    async stop() {
      redis.off('reconnecting', onReconnecting);
      await attempt;
    },
  };
}

/** Reports that the server's disk is full: once, and again only after ten minutes with room. */
type DiskNotice = {
  /** `revive` with a look at the disk before it, and after it where it throws. */
  around<T>(revive: () => Promise<T>): Promise<T>;
  onFull(tell: (text: string) => void): void;
};

/** A server that starts and ends again at its next write has the same problem all the time: that is reported once. */
const RECOVERED_AFTER_MS = 600_000;
/** With less room than this the server's log can't be written either, and says nothing. */
const ROOM_MIN_BYTES = 1_000_000;
/** The words of Redis and of the system for a full disk. */
const FULL = /No space left|Short write|ENOSPC/i;
/** In the first line that a server, Redis or Valkey, logs: what stands above is an earlier server's. */
const FIRST_LINE = ' is starting oO0O';

/** `folder`: the embedded server's, in ONBOARD_HOME; `now` in milliseconds. */
export function createDiskNotice(folder: string, now: () => number): DiskNotice {
  const listeners: Array<(text: string) => void> = [];
  let seenAt = Number.NEGATIVE_INFINITY;
  const look = async () => {
    if (listeners.length === 0 || !(await isDiskFull(folder))) return;
    const isNew = now() - seenAt > RECOVERED_AFTER_MS;
    seenAt = now();
    if (isNew) for (const tell of listeners) tell(textFor(folder));
  };
  return {
    async around(revive) {
      await look();
      try {
        return await revive();
      } catch (error) {
        await look();
        throw error;
      }
    },
    onFull: (tell) => {
      listeners.push(tell);
    },
  };
}

function textFor(folder: string): string {
  return (
    `The embedded Redis can not go on: the disk of ONBOARD_HOME is full (${folder}). ` +
    'Make room; it goes on by itself.'
  );
}

async function isDiskFull(folder: string): Promise<boolean> {
  const log = await readFile(serverLog(folder), 'utf8').catch(() => '');
  if (FULL.test(log.slice(Math.max(0, log.lastIndexOf(FIRST_LINE))))) return true;
  const space = await statfs(folder).catch(() => null);
  return space !== null && space.bavail * space.bsize < ROOM_MIN_BYTES;
}
