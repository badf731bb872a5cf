import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { findServerProgram } from '../../src/engine/redis/server-process.ts';
import { messageOf } from '../../src/lib/errors.ts';
import { atTestEnd } from './at-test-end.ts';
import { type RedisNode, startRedisNode } from './redis-node.ts';

/** A Redis as the program wants it, whose life and memory a test controls. */
export type RedisServer = Omit<RedisNode, 'admin'> & {
  /** `redis://127.0.0.1:<port>` */
  readonly url: string;
  /** A connection of the test's own, which is closed with the server. */
  readonly redis: Redis;
  /** While it is down: takes away what it wrote in its last seconds, as a power cut does, in the middle of a command perhaps. */
  cutLog(seconds: number): Promise<void>;
  /** While it is down: takes the last bytes of what it wrote last, so that its file ends within a transaction. */
  tearLog(): Promise<void>;
};

const SETTINGS = {
  'aof-load-truncated': 'yes',
  // A rewrite begins a new file, and cutting back by bytes or time ends at it: the program's own at a new epoch is enough.
  'auto-aof-rewrite-percentage': '0',
};

/** Starts a server of one test's own, with settings of redis.conf beside and before its own; it ends with the test. */
export async function startRedisServer(
  settings: Readonly<Record<string, string>> = {},
  env: Readonly<Record<string, string>> = {},
): Promise<RedisServer> {
  const all = Object.entries({ ...SETTINGS, ...settings });
  const lines = all.map(([name, value]) => `${name} ${value}`);
  const { admin: redis, ...node } = await startRedisNode({ lines, env });
  const { folder } = node;
  let clock = settings.appendonly === 'no' ? null : startLogClock(folder);
  const stopping = (end: () => Promise<void>) => async () => {
    clock?.stop();
    await end();
  };
  atTestEnd(() => clock?.stop());
  return {
    ...node,
    url: `redis://127.0.0.1:${node.port}`,
    redis,
    async start() {
      await node.start().catch(async (error: unknown) => {
        await node.kill();
        await cutAnOlderFile(folder, messageOf(error));
        await node.start();
      });
      clock = startLogClock(folder);
    },
    stop: stopping(node.stop),
    kill: stopping(node.kill),
    async cutLog(seconds) {
      await truncate(growingLog(folder), clock?.sizeBefore(seconds * 1000) ?? 0);
    },
    async tearLog() {
      const log = growingLog(folder);
      await truncate(log, Math.max(0, statSync(log).size - TORN_BYTES));
    },
  };
}

/** What Redis says of a file that was torn again while it was written anew, and that it doesn't start with (docs/redis.md). */
const NOT_THE_LAST =
  /Truncating the AOF (\S+) at offset \d+[\s\S]*the truncated file is not the last file\s*$/;

/** As an operator would; throws where it is something else that the server says. */
async function cutAnOlderFile(folder: string, said: string): Promise<void> {
  const [, file] = NOT_THE_LAST.exec(said) ?? [];
  if (file === undefined) throw new Error(said);
  const program = await findServerProgram(process.env.PATH ?? '');
  const fixing = spawn(program.replace(/server$/, 'check-aof'), [
    '--fix',
    join(folder, 'appendonlydir', file),
  ]);
  fixing.stdin.end('y\n');
  await once(fixing, 'exit');
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
