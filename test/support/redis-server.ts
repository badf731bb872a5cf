import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { mkdtemp, open, readFile, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { messageOf } from '../../src/lib/errors.ts';
import { findServerProgram } from '../../src/redis/server-process.ts';
import { atTestEnd } from './at-test-end.ts';
import { freePort } from './free-port.ts';
import { until } from './until.ts';

/** A Redis on a TCP port, append-only with fsync always as the program wants it, whose life and memory a test controls. */
export type RedisServer = {
  readonly port: number;
  /** `redis://127.0.0.1:<port>` */
  readonly url: string;
  readonly folder: string;
  /** A connection of the test's own, which is closed with the server. */
  readonly redis: Redis;
  /** Starts it on the same port with what its folder has; resolves when it answers. */
  start(): Promise<void>;
  /** Ends it orderly. */
  stop(): Promise<void>;
  /** SIGKILL: what fsync had not written is still in the system's memory, and so not lost. */
  kill(): Promise<void>;
  /** SIGSTOP and SIGCONT: connections stay open, nothing is answered. */
  freeze(): void;
  thaw(): void;
  /** While it is down: takes away what it wrote in its last seconds, as a power cut does, in the middle of a command perhaps. */
  cutLog(seconds: number): Promise<void>;
  /** While it is down: takes the last bytes of what it wrote last, so that its file ends within a transaction. */
  tearLog(): Promise<void>;
  /** Forgets everything. */
  flushAll(): Promise<void>;
};

type Running = { readonly child: ChildProcess; readonly clock: LogClock | null };

/** Starts a server of one test's own, with settings of redis.conf beside and before its own; it ends with the test. `env`: beside this process' own. */
export async function startRedisServer(
  settings: Readonly<Record<string, string>> = {},
  env: Readonly<Record<string, string>> = {},
): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'onboard-redis-'));
  const port = await freePort();
  const program = await findServerProgram(process.env.PATH ?? '');
  const all = { ...ownSettings(port, folder), ...settings };
  const life = createLife({
    program,
    args: settingsArguments(all),
    folder,
    port,
    hasLog: all.appendonly === 'yes',
    env,
  });
  const redis = new Redis(port, '127.0.0.1', {
    maxRetriesPerRequest: null,
    retryStrategy: () => 50,
    lazyConnect: true,
  });
  redis.on('error', () => undefined);
  atTestEnd(async () => {
    redis.disconnect();
    await life.end('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });
  await life.start();
  await redis.connect();
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    folder,
    redis,
    start: life.start,
    stop: () => life.end('SIGTERM'),
    kill: () => life.end('SIGKILL'),
    freeze: () => life.signal('SIGSTOP'),
    thaw: () => life.signal('SIGCONT'),
    cutLog: life.cutLog,
    tearLog: life.tearLog,
    async flushAll() {
      await redis.flushall();
    },
  };
}

type LifeParts = {
  readonly program: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly port: number;
  /** Without one nothing can be cut from it. */
  readonly hasLog: boolean;
  readonly env: Readonly<Record<string, string>>;
};

/** The server's process, one after the other. */
function createLife(parts: LifeParts) {
  let running: Running | null = null;
  let lastClock: LogClock | null = null;
  const signal = (name: NodeJS.Signals) => {
    running?.child.kill(name);
  };
  return {
    signal,
    async start() {
      if (running !== null) throw new Error('the server is running already');
      const child = await launch(parts);
      const clock = parts.hasLog ? startLogClock(parts.folder) : null;
      running = { child, clock };
      lastClock = clock;
    },
    async end(name: 'SIGTERM' | 'SIGKILL') {
      if (running === null) return;
      const { child, clock } = running;
      running = null;
      clock?.stop();
      const gone = once(child, 'exit');
      // One that is frozen would not hear of an orderly end.
      child.kill('SIGCONT');
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill(name);
      await gone;
    },
    async cutLog(seconds: number) {
      if (running !== null) throw new Error('the server is running: stop or kill it first');
      await truncate(growingLog(parts.folder), lastClock?.sizeBefore(seconds * 1000) ?? 0);
    },
    async tearLog() {
      if (running !== null) throw new Error('the server is running: stop or kill it first');
      const log = growingLog(parts.folder);
      await truncate(log, Math.max(0, statSync(log).size - TORN_BYTES));
    },
  };
}

/** What Redis says of a file that was torn again while it was written anew, and that it doesn't start with (docs/redis.md). */
const NOT_THE_LAST =
  /Truncating the AOF (\S+) at offset \d+[\s\S]*the truncated file is not the last file\s*$/;

/** Starts the server; where its file was torn twice, as an operator would. */
async function launch(parts: LifeParts): Promise<ChildProcess> {
  try {
    return await launchOnce(parts);
  } catch (error) {
    const [, file] = NOT_THE_LAST.exec(messageOf(error)) ?? [];
    if (file === undefined) throw error;
    const fixing = spawn(parts.program.replace(/server$/, 'check-aof'), [
      '--fix',
      join(parts.folder, 'appendonlydir', file),
    ]);
    fixing.stdin.end('y\n');
    await once(fixing, 'exit');
    return launchOnce(parts);
  }
}

async function launchOnce({ program, args, folder, port, env }: LifeParts): Promise<ChildProcess> {
  const logPath = join(folder, 'redis.log');
  const log = await open(logPath, 'a');
  const child = spawn(program, args, { stdio: ['ignore', log.fd, log.fd], env: { ...process.env, ...env } });
  await log.close();
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`Redis ended: ${await readFile(logPath, 'utf8')}`);
    return answers(port);
  });
  return child;
}

async function answers(port: number): Promise<boolean> {
  const probe = new Redis(port, '127.0.0.1', { lazyConnect: true, retryStrategy: () => null });
  probe.on('error', () => undefined);
  try {
    await probe.connect();
    return (await probe.ping()) === 'PONG';
  } catch {
    return false;
  } finally {
    probe.disconnect();
  }
}

function ownSettings(port: number, folder: string) {
  return {
    port: String(port),
    bind: '127.0.0.1',
    dir: folder,
    save: '',
    appendonly: 'yes',
    appendfsync: 'always',
    'maxmemory-policy': 'noeviction',
    'aof-load-truncated': 'yes',
    // A rewrite begins a new file, and cutting back by bytes or time ends at it: the program's own at a new epoch is enough.
    'auto-aof-rewrite-percentage': '0',
  };
}

function settingsArguments(settings: Readonly<Record<string, string>>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
}

/** The part of the append-only file that grows (Redis 7: `appendonlydir/*.incr.aof`); an Error where there is none. */
export function growingLog(folder: string): string {
  const logs = join(folder, 'appendonlydir');
  const names = readdirSync(logs).filter((name) => name.endsWith('.incr.aof'));
  const newest = names.toSorted((a, b) => sequenceOf(a) - sequenceOf(b)).at(-1);
  if (newest === undefined) throw new Error(`no growing append-only file in ${logs}`);
  return join(logs, newest);
}

function sequenceOf(name: string): number {
  return Number(/\.(\d+)\.incr\.aof$/.exec(name)?.[1] ?? 0);
}

/** Less than the command that ends a transaction has. */
const TORN_BYTES = 3;
const SAMPLE_MS = 20;
const SAMPLES_MAX = 100_000;

/** Writes down how large the log is, again and again, so that it can be cut back by time. */
type LogClock = {
  /** The size of the newest file `ms` before the last sample; 0 where that file is younger. */
  sizeBefore(ms: number): number;
  stop(): void;
};

function startLogClock(folder: string): LogClock {
  const samples: Array<{ readonly at: number; readonly path: string; readonly bytes: number }> = [];
  const sample = () => {
    const path = growingLog(folder);
    // A rewrite may have removed it since.
    const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    samples.push({ at: performance.now(), path, bytes });
    if (samples.length > SAMPLES_MAX) samples.shift();
  };
  sample();
  const timer = setInterval(sample, SAMPLE_MS);
  return {
    sizeBefore(ms) {
      const last = samples.at(-1);
      const then = samples.findLast(({ at }) => at <= (last?.at ?? 0) - ms);
      return then !== undefined && then.path === last?.path ? then.bytes : 0;
    },
    stop: () => clearInterval(timer),
  };
}
