/**
 * The Redis server of a home, where REDIS_URL is unset: joined where it runs, started where it
 * doesn't, restarted when it is lost, and ended by the last process that uses it. A full disk is
 * reported once.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import lockfile from 'proper-lockfile';
import { makeHomeFolder } from '../config/environment.ts';
import { shortDigest } from '../lib/digest.ts';
import { insteadOf } from '../lib/errors.ts';
import { isAlive, machineKey, thisMachine } from '../lib/machine.ts';
import { makeFolder } from '../lib/make-folder.ts';
import type { RedisConnection } from '../lib/redis-connection.ts';
import { UsageError } from '../lib/usage-error.ts';
import { sleep } from '../lib/waiting.ts';
import type { SingleAddress } from './client-options.ts';
import { holdLease, type Lease, type LeaseOptions, takenFolder } from './lease.ts';
import {
  askProcessToEnd,
  askToEnd,
  killServer,
  pidFile,
  probeSocket,
  type ServerPlace,
  serverLog,
  serverProcess,
  socketOf,
  startServer,
  wayToSocket,
} from './server-process.ts';

/** Loading a large append-only file takes a while. */
const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 15_000;
const POLL_MS = 20;
/** A holder killed between taking and releasing the lock delays the next start by at most this. */
const LOCK_STALE_MS = 5_000;

type EmbeddedRedis = {
  readonly address: Extract<SingleAddress, { readonly kind: 'socket' }>;
  /**
   * Restarts a server that is gone; false where it does not answer yet: ask again. A running server
   * that doesn't answer is left alone. Any number of processes may call it at once.
   */
  revive(): Promise<boolean>;
  /** No other machine has the home; asked once an intent is durable, before its row goes. */
  isOurs(): Promise<boolean>;
  /** The last process to leave the home stops the server. */
  close(): Promise<void>;
};

type EmbeddedOptions = Partial<Pick<LeaseOptions, 'machine' | 'beatMs' | 'onLost' | 'tell'>>;

/**
 * A real server as a child process on a Unix socket below `<home>/redis`: append-only, fsync
 * always, noeviction. The first command on a home starts it, others of the same machine join it,
 * even after its first owner was killed. It has a process group of its own: a signal to the
 * terminal must not end it before rows in flight are recorded. A UsageError where another machine
 * or container has the home.
 */
export async function joinEmbeddedRedis(home: string, options: EmbeddedOptions = {}): Promise<EmbeddedRedis> {
  const folder = await makeHomeFolder(home, 'redis');
  const { machine = thisMachine(), onLost = () => undefined, tell = () => undefined, beatMs } = options;
  const lock = join(folder, `lock-${shortDigest(machineKey(machine), 8)}`);
  return underLock(lock, async () => {
    const beat = beatMs !== undefined && { beatMs };
    const lease = await holdLease(folder, { machine, onLost, tell, ...beat });
    try {
      return await joinServer(lease, { folder, lock, tell });
    } catch (error) {
      lease.stop();
      throw error;
    }
  });
}

type Premises = { readonly folder: string; readonly lock: string; tell(text: string): void };

async function joinServer(lease: Lease, { folder, lock, tell }: Premises): Promise<EmbeddedRedis> {
  const way = await wayToSocket(lease.folder);
  const place = { folder: lease.folder, socket: way.path, log: serverLog(folder) };
  // One process may join several times.
  const me = join(lease.folder, 'users', `${process.pid}.${randomUUID()}`);
  try {
    await untilReady(place, { lease, tell });
    await makeFolder(dirname(me));
    await writeFile(me, '', { mode: 0o600 });
  } catch (error) {
    await way.close();
    throw error;
  }
  let server = serverProcess(place.folder);
  return {
    address: {
      kind: 'socket',
      path: place.socket,
      shown: socketOf(place.folder),
      login: null,
      database: 0,
    },
    isOurs: lease.isOurs,
    revive: () =>
      underLock(lock, async () => {
        const isBack = await isReady(place, { lease, tell });
        server = serverProcess(place.folder);
        return isBack;
      }),
    async close() {
      const end = () => leave(place, { me, lease, server });
      // In a removed home there is no lock, and nobody to share it with.
      await (existsSync(dirname(lock)) ? underLock(lock, end) : end());
      await way.close();
    },
  };
}

/**
 * A running server, for somebody who only looks: starts nothing, and keeps nobody from ending it.
 */
export async function findEmbeddedRedis(
  home: string,
): Promise<Pick<EmbeddedRedis, 'address' | 'close'> | null> {
  const folder = await takenFolder(join(home, 'redis'));
  if (folder === null) return null;
  const way = await wayToSocket(folder);
  if ((await probeSocket(way.path)) !== 'silent') {
    const shown = socketOf(folder);
    return { address: { kind: 'socket', path: way.path, shown, login: null, database: 0 }, close: way.close };
  }
  await way.close();
  return null;
}

export const TAKEN =
  'Another machine, container or command has taken this ONBOARD_HOME, since nothing was heard of this one for a while: nothing more is ' +
  'sent from here. An embedded Redis serves one machine at a time; give all of them one by REDIS_URL.';

/** The same command would send every row once more. */
export const REMOVED =
  'This ONBOARD_HOME was removed while it was in use: nothing more is sent from here, and what was sent is not known here any more. ' +
  'Look in the service for the rows of this file before it is loaded again: in an empty home all of them are sent, also those that were made.';

/** Said at once, before the reason is known; `onLost` gives it a heartbeat later. */
const LOST =
  'This ONBOARD_HOME was taken by another machine, container or command, or removed, while it was in use: nothing more is sent from here.';

/** Whether the embedded server's folders, which outlast it, are gone; reports may be new. */
export function isHomeRemoved(home: string): boolean {
  return !existsSync(join(home, 'redis'));
}

type Guarded = { readonly lease: Lease; tell(text: string): void };

async function untilReady(place: ServerPlace, guarded: Guarded): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await isReady(place, guarded))) {
    if (Date.now() > deadline) throw new UsageError(await explainSilence(place.folder));
    await sleep(POLL_MS);
  }
}

/** Starts a server that is gone. Only under the lock; a UsageError where the lease is lost. */
async function isReady(place: ServerPlace, { lease, tell }: Guarded): Promise<boolean> {
  if (!(await lease.isOurs())) throw new UsageError(LOST);
  const state = await probeSocket(place.socket);
  if (state !== 'silent') return state === 'ready';
  if (serverProcess(place.folder) !== null) return false;
  return startServer(place, { timeoutMs: START_TIMEOUT_MS, mayStart: lease.isThere, tell });
}

async function explainSilence(folder: string): Promise<string> {
  const pid = serverProcess(folder);
  const which = pid === null ? 'Its server' : `Its server, process ${pid},`;
  return (
    `The embedded Redis in ${folder} does not answer. ${which} holds the data folder, so no second one is started: ` +
    `let it go on (kill -CONT) or end it, and try again. If that process is no Redis, remove ${pidFile(folder)}.`
  );
}

type Leaving = { readonly me: string; readonly lease: Lease; readonly server: number | null };

async function leave(place: ServerPlace, { me, lease, server }: Leaving): Promise<void> {
  lease.stop();
  if (!(await lease.isOurs())) {
    // Its folder is gone, or will be: nobody can reach it, or ask it to end.
    if (server !== null) killServer(place.folder, server);
    return;
  }
  await rm(me, { force: true });
  if ((await liveUsers(place.folder)) > 0 || !(await shutDown(place))) return;
  // A process may have come while this one stood still: it starts the server again.
  if ((await liveUsers(place.folder)) === 0) await lease.release();
}

/** Removes the marks of killed processes. */
async function liveUsers(folder: string): Promise<number> {
  let live = 0;
  for (const name of await readdir(join(folder, 'users'))) {
    if (isAlive(Number.parseInt(name, 10))) live += 1;
    else await rm(join(folder, 'users', name), { force: true });
  }
  return live;
}

/** Whoever removes the home next must find it at rest. False: the server may still be there. */
async function shutDown({ folder, socket }: ServerPlace): Promise<boolean> {
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  await askToEnd(socket);
  while (Date.now() < deadline) {
    if ((await probeSocket(socket)) === 'silent') {
      const server = serverProcess(folder);
      if (server === null) return true;
      // Its socket was removed or closed: a signal ends it in order too.
      askProcessToEnd(server);
    }
    await sleep(POLL_MS);
  }
  return false;
}

/** Among one machine's processes, whose clocks agree; between machines the lease decides. */
async function underLock<T>(lock: string, work: () => Promise<T>): Promise<T> {
  const release = await lockfile.lock(lock, {
    lockfilePath: lock,
    realpath: false,
    stale: LOCK_STALE_MS,
    // A process that stood still for longer has lost the lock; harmful steps check once more.
    onCompromised: () => undefined,
    update: LOCK_STALE_MS / 5,
    retries: { retries: 3000, factor: 1, minTimeout: POLL_MS * 2, maxTimeout: POLL_MS * 2 },
  });
  try {
    return await work();
  } finally {
    await release().catch(insteadOf('ERELEASED', undefined));
  }
}

/**
 * Revives the server each time the connection is lost, until it is back; not where this process
 * closed the connection. `stop` waits for an attempt under way.
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

/** Reports a full disk once, and again only after ten minutes with room. */
type DiskNotice = {
  /** Checks the disk before `revive`, and after it where it throws. */
  around<T>(revive: () => Promise<T>): Promise<T>;
  onFull(tell: (text: string) => void): void;
};

/** A server that starts and ends at its next write has one lasting problem. */
const RECOVERED_AFTER_MS = 600_000;
/** With less room the server can't write its log, and says nothing. */
const ROOM_MIN_BYTES = 1_000_000;
/** Redis' and the system's words for a full disk. */
const FULL = /No space left|Short write|ENOSPC/i;
/** In the first line that Redis or Valkey logs: lines above are an earlier server's. */
const FIRST_LINE = ' is starting oO0O';

/** `folder`: the embedded server's, in ONBOARD_HOME; `now`: ms. */
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
