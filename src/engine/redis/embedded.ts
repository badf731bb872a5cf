/**
 * The Redis server of a home, where REDIS_URL is unset: joined where it runs, started where it
 * doesn't, restarted when it is lost, and ended by the last process that uses it. A full disk is
 * named as its reason.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import lockfile from 'proper-lockfile';
import { makeHomeFolder } from '../../config/environment.ts';
import { shortDigest } from '../../lib/digest.ts';
import { errorOf, insteadOf } from '../../lib/errors.ts';
import { freeBytes, isAlive, machineKey, thisMachine } from '../../lib/machine.ts';
import { makeFolder } from '../../lib/make-folder.ts';
import type { RedisConnection } from '../../lib/redis-connection.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { sleep } from '../../lib/waiting.ts';
import type { SingleAddress } from './client-options.ts';
import { holdLease, type Lease, type LeaseOptions, REMOVED, takenFolder, whyLost } from './lease.ts';
import {
  endServer,
  probeSocket,
  START_TIMEOUT_MS,
  type StartOptions,
  serverLog,
  serverProcess,
  socketOf,
  startServer,
  wayToSocket,
} from './server-process.ts';

const STOP_TIMEOUT_MS = 15_000;
const POLL_MS = 20;
/** A killed holder delays the next start by that. */
const LOCK_STALE_MS = 5_000;

type EmbeddedOptions = Partial<Pick<LeaseOptions, 'machine' | 'beatMs' | 'onLost' | 'tell'>> & {
  /** The server is not started again. */
  readonly onGivenUp?: (why: string) => void;
};

/**
 * The first command on a home starts the server, others of the same machine join it, even after its
 * first owner was killed. It has a process group of its own: a signal to the terminal must not end
 * it before rows in flight are recorded. A UsageError where another machine has the home.
 */
export async function joinEmbeddedRedis(home: string, options: EmbeddedOptions = {}) {
  const folder = await makeHomeFolder(home, 'redis');
  const { machine = thisMachine(), beatMs } = options;
  const { onLost = () => undefined, tell = () => undefined, onGivenUp = () => undefined } = options;
  const lock = join(folder, `lock-${shortDigest(machineKey(machine), 8)}`);
  return underLock(lock, async () => {
    const beat = beatMs !== undefined && { beatMs };
    const lease = await holdLease(folder, { machine, onLost, tell, ...beat });
    try {
      return await joinServer(lease, lock, { tell, onGivenUp });
    } catch (error) {
      lease.stop();
      throw error;
    }
  });
}

type Told = Pick<LeaseOptions, 'tell'> & Pick<Required<EmbeddedOptions>, 'onGivenUp'>;

const ENDS_MAX = 5;
const ENDS_WITHIN_MS = 60_000;

/** Whether a server that ends again and again is started once more; one that lacks room is. */
function createEnds(folder: string, onGivenUp: (why: string) => void) {
  let ends: readonly number[] = [];
  let last = 'gone';
  return {
    hear(how: string): void {
      last = how;
    },
    async mayStart(): Promise<boolean> {
      ends = [...ends, performance.now()].slice(-ENDS_MAX);
      const isOften = ends.length === ENDS_MAX && performance.now() - (ends[0] ?? 0) < ENDS_WITHIN_MS;
      if (!isOften || (await isDiskFull(dirname(folder)))) return true;
      onGivenUp(
        `The embedded Redis in ${folder} ended ${ENDS_MAX} times within a minute, and is given up: ` +
          `${last} (SIGXFSZ: a limit on the size of files, SIGKILL: often want of memory). ` +
          `Its log is ${serverLog(dirname(folder))}. Put that right, and give the command again: ` +
          'nothing is lost, and it goes on.',
      );
      return false;
    },
  };
}

async function joinServer(lease: Lease, lock: string, { tell, onGivenUp }: Told) {
  const { folder } = lease;
  // One process may join several times.
  const me = join(folder, 'users', `${process.pid}.${randomUUID()}`);
  const ends = createEnds(folder, onGivenUp);
  await untilReady(lease, { tell, onEnd: ends.hear });
  await makeFolder(dirname(me));
  await writeFile(me, '', { mode: 0o600 });
  let server = serverProcess(folder);
  return {
    address: addressOf(folder),
    /** The sender asks it once an intent is durable, before the row goes. */
    isOurs: lease.isOurs,
    /**
     * Restarts a server that is gone; false where it does not answer yet: ask again. A running
     * server that doesn't answer is left alone. Any number of processes may call it at once.
     */
    revive: () =>
      underLock(lock, async () => {
        const isBack = await isReady(lease, { tell, onEnd: ends.hear, isWorthIt: ends.mayStart });
        server = serverProcess(folder);
        return isBack;
      }),
    /** The last process to leave the home stops the server. */
    async close() {
      const end = () => leave(lease, me, server);
      // In a removed home there is no lock, and nobody to share it with.
      await (existsSync(dirname(lock)) ? underLock(lock, end) : end());
    },
  };
}

type SocketAddress = Extract<SingleAddress, { readonly kind: 'socket' }>;

function addressOf(folder: string): SocketAddress {
  const shown = socketOf(folder);
  return { kind: 'socket', path: wayToSocket(folder), shown, login: null, database: 0 };
}

/** For who only looks: starts no server, and keeps nobody from ending it. */
export async function findEmbeddedRedis(home: string): Promise<SocketAddress | null> {
  const folder = await takenFolder(join(home, 'redis'));
  return folder !== null && (await probeSocket(folder)) !== 'silent' ? addressOf(folder) : null;
}

/** That the server's folders, which outlast it, are gone; `null`: they are not. */
export function problemOfHome(home: string): string | null {
  return existsSync(join(home, 'redis')) ? null : REMOVED;
}

type Start = Pick<StartOptions, 'tell' | 'onEnd'> & { isWorthIt?(): Promise<boolean> };

async function untilReady(lease: Lease, start: Start): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await isReady(lease, start))) {
    if (Date.now() > deadline) throw new UsageError(await explainSilence(lease.folder));
    await sleep(POLL_MS);
  }
}

/** Only under the lock; a UsageError where the lease is lost. */
async function isReady(lease: Lease, { isWorthIt, ...start }: Start): Promise<boolean> {
  const { folder } = lease;
  if (!(await lease.isOurs())) throw new UsageError(await whyLost(folder));
  const state = await probeSocket(folder);
  if (state !== 'silent') return state === 'ready';
  if (serverProcess(folder) !== null || (await isWorthIt?.()) === false) return false;
  return startServer(folder, { mayStart: lease.isThere, ...start });
}

async function explainSilence(folder: string): Promise<string> {
  const pid = serverProcess(folder);
  return (
    `The embedded Redis in ${folder} (process ${pid ?? 'unknown'}) does not answer: ` +
    'let it go on (kill -CONT) or end it, and try again.'
  );
}

async function leave(lease: Lease, me: string, server: number | null): Promise<void> {
  const { folder } = lease;
  lease.stop();
  if (!(await lease.isOurs())) {
    // Its folder is gone, or will be: nobody can reach it, or ask it to end.
    if (server !== null) endServer(folder, server, 'SIGKILL');
    return;
  }
  await rm(me, { force: true });
  if ((await liveUsers(folder)) > 0 || !(await shutDown(folder))) return;
  // A process may have come while this one stood still: it starts the server again.
  if ((await liveUsers(folder)) === 0) await lease.release();
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
async function shutDown(folder: string): Promise<boolean> {
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const server = serverProcess(folder);
    // A server removes its pid's file just before it closes its socket and ends.
    if (server !== null) endServer(folder, server, 'SIGTERM');
    else if ((await probeSocket(folder)) === 'silent') return true;
    await sleep(POLL_MS);
  }
  return false;
}

/** A lock is for one machine's processes, whose clocks agree; the lease is for machines. */
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

/** A connection that this process closed revives none. `stop` waits for an attempt under way. */
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
      onTrouble(errorOf(error));
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

/** With less room the server can't write its log, and says nothing. */
const ROOM_MIN_BYTES = 1_000_000;
/** Redis' and the system's words for a full disk. */
const FULL = /No space left|Short write|ENOSPC/i;
/** In the first line that Redis or Valkey logs: lines above are an earlier server's. */
const FIRST_LINE = ' is starting oO0O';

/** `folder`: `<home>/redis`. `null`: its server has room, as far as that can be seen. */
export async function problemOfDisk(folder: string): Promise<string | null> {
  if (!(await isDiskFull(folder))) return null;
  return (
    `The embedded Redis can not go on: the disk of ONBOARD_HOME is full (${folder}). ` +
    'It goes on once somebody has made room there.'
  );
}

async function isDiskFull(folder: string): Promise<boolean> {
  const log = await readFile(serverLog(folder), 'utf8').catch(() => '');
  if (FULL.test(log.slice(Math.max(0, log.lastIndexOf(FIRST_LINE))))) return true;
  return (await freeBytes(folder).catch(() => ROOM_MIN_BYTES)) < ROOM_MIN_BYTES;
}
