import { readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import lockfile from 'proper-lockfile';
import { makeHomeFolder } from '../config/environment.ts';
import { shortDigest } from '../lib/digest.ts';
import { makeFolder } from '../lib/make-folder.ts';
import { sleep } from '../lib/sleep.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { SingleAddress } from './client-options.ts';
import { isAlive } from './is-alive.ts';
import { askToEnd, probeSocket } from './probe-socket.ts';
import { pidFile, serverProcess } from './server-process.ts';
import { type ServerPlace, startServer } from './start-server.ts';

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
   * Starts the server again if it is gone; false: it can't be said to answer yet, ask again. One that is there but
   * doesn't answer is left alone. Any number of processes may call it at the same time.
   */
  revive(): Promise<boolean>;
  /** Stops the server, unless another command on the same home still uses it: the last one out stops it. */
  close(): Promise<void>;
};

/**
 * A real server as a child process on a Unix socket in `<home>/redis`: append-only with fsync always, noeviction.
 * The first command on a home starts it, others join it, also after its first owner was killed.
 * It belongs to its own process group, so that a signal to the terminal doesn't end it before the rows in flight are recorded.
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

/** Whether the server answers; one that is gone is started. Under the lock only. */
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

/** Users that were killed leave their mark behind: it is swept here. */
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
    // A process that was stopped for longer than that has lost the lock; all it does under it may be done twice.
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
