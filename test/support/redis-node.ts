import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { findServerProgram } from '../../src/engine/redis/server-process.ts';
import { atTestEnd } from './at-test-end.ts';
import { freePort } from './free-port.ts';
import { until } from './until.ts';

/** A Redis process, as a node of a cluster, a replica or a Sentinel; it ends with its test where nothing else is said. */
export type RedisNode = {
  /** Where clients connect; encrypted where the node has certificates. */
  readonly port: number;
  readonly folder: string;
  /** A connection of the test's own with every right, by a Unix socket. */
  readonly admin: Redis;
  /** Starts it again on the same port with what its folder has; resolves when it answers. */
  start(): Promise<void>;
  /** SIGTERM. */
  stop(): Promise<void>;
  /** SIGKILL: what fsync had not written is still in the system's memory, and so not lost. */
  kill(): Promise<void>;
  /** SIGSTOP and SIGCONT: connections stay open, nothing is answered. */
  freeze(): void;
  thaw(): void;
};

export type RedisNodeOptions = {
  /** Lines of redis.conf beside its own. */
  readonly lines?: readonly string[];
  /** Beside this process' own. */
  readonly env?: Readonly<Record<string, string>>;
  /** With certificates there is no port that is not encrypted. */
  readonly isEncrypted?: boolean;
  readonly isSentinel?: boolean;
  /** Of the default user, for the test's own connection. */
  readonly password?: string;
};

type AtEnd = (end: () => Promise<void>) => void;

const LASTING = ['save ""', 'appendonly yes', 'appendfsync always', 'maxmemory-policy noeviction'];

/** Another process may take a port between the choice and the start. */
const TRIES = 3;

/** Starts one, and waits until it answers. */
export async function startRedisNode(
  options: RedisNodeOptions = {},
  atEnd: AtEnd = atTestEnd,
): Promise<RedisNode> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await startOnce(options, atEnd);
    } catch (error) {
      if (tries === TRIES) throw error;
    }
  }
}

async function startOnce(options: RedisNodeOptions, atEnd: AtEnd): Promise<RedisNode> {
  const folder = await mkdtemp(join(tmpdir(), 'onboard-node-'));
  const port = await freePort();
  const socket = join(folder, 'admin.sock');
  const lines = [
    options.isEncrypted === true ? `port 0\ntls-port ${port}` : `port ${port}`,
    'bind 127.0.0.1',
    `unixsocket ${socket}`,
    `dir ${folder}`,
    ...(options.isSentinel === true ? [] : LASTING),
    ...(options.lines ?? []),
  ];
  await writeFile(join(folder, 'redis.conf'), `${lines.join('\n')}\n`);
  const server = createProcess(folder, options);
  const admin = new Redis({
    path: socket,
    ...(options.password !== undefined && { password: options.password }),
    maxRetriesPerRequest: null,
    retryStrategy: () => 20,
    lazyConnect: true,
    enableReadyCheck: options.isSentinel !== true,
  });
  admin.on('error', () => undefined);
  // The socket is there before the server is ready.
  const start = async () => {
    await server.start();
    await Promise.race([until(async () => (await admin.ping()) === 'PONG'), server.failure()]);
  };
  atEnd(async () => {
    admin.disconnect();
    await server.end('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });
  await start();
  return {
    port,
    folder,
    admin,
    start,
    stop: () => server.end('SIGTERM'),
    kill: () => server.end('SIGKILL'),
    freeze: () => server.signal('SIGSTOP'),
    thaw: () => server.signal('SIGCONT'),
  };
}

function createProcess(folder: string, { isSentinel, env }: RedisNodeOptions) {
  let child: ChildProcess | null = null;
  return {
    async start() {
      if (child !== null) throw new Error('the server is running already');
      const log = await open(join(folder, 'redis.log'), 'a');
      const program = await findServerProgram(process.env.PATH ?? '');
      const args = [join(folder, 'redis.conf'), ...(isSentinel === true ? ['--sentinel'] : [])];
      child = spawn(program, args, {
        stdio: ['ignore', log.fd, log.fd],
        env: { ...process.env, ...env },
      });
      await log.close();
    },
    /** Rejects with what its log says when it ends. */
    async failure(): Promise<never> {
      if (child !== null && child.exitCode === null) await once(child, 'exit');
      throw new Error(await readFile(join(folder, 'redis.log'), 'utf8').catch(() => 'it has ended'));
    },
    signal: (name: NodeJS.Signals) => void child?.kill(name),
    async end(name: 'SIGTERM' | 'SIGKILL') {
      const ending = child;
      child = null;
      if (ending === null || ending.exitCode !== null || ending.signalCode !== null) return;
      const ended = once(ending, 'exit');
      // One that is frozen would not hear of an orderly end.
      ending.kill('SIGCONT');
      ending.kill(name);
      await ended;
    },
  };
}
