import { Redis } from 'ioredis';
import { type Bench, succeeded } from '../bench.ts';
import { startOnboard, startWatch } from '../onboard.ts';
import { startRedis } from '../redis.ts';
import { DELAY_MS, startNodeService } from '../service/fast-service.ts';

/** What a Redis has done since its start, and what it holds now. */
type RedisUsage = {
  /** Commands, those within scripts too. */
  readonly commands: number;
  /** Scripts that were called. */
  readonly scripts: number;
  /** CPU time of the one thread that carries commands out, µs. */
  readonly cpuMicros: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** Size of the append-only file; what was written as long as it isn't rewritten. */
  readonly aofBytes: number;
  readonly memoryBytes: number;
  readonly connections: number;
};

/** Asks a server; an Error where it doesn't tell all of that (Redis 7.0 on Linux does). */
export async function readUsage(redis: Redis): Promise<RedisUsage> {
  const info = await redis.info('all');
  const calls = [...info.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)];
  const ofScripts = calls.filter(([, name]) => name === 'evalsha' || name === 'eval');
  return {
    commands: sum(calls.map(([, , count]) => Number(count))),
    scripts: sum(ofScripts.map(([, , count]) => Number(count))),
    cpuMicros:
      (field(info, 'used_cpu_user_main_thread') + field(info, 'used_cpu_sys_main_thread')) * 1_000_000,
    bytesIn: field(info, 'total_net_input_bytes'),
    bytesOut: field(info, 'total_net_output_bytes'),
    aofBytes: field(info, 'aof_current_size'),
    memoryBytes: field(info, 'used_memory'),
    connections: field(info, 'connected_clients'),
  };
}

/** What came to pass between two looks; for what is held, how much more it is. */
export function usedBetween(before: RedisUsage, after: RedisUsage): RedisUsage {
  return {
    commands: after.commands - before.commands,
    scripts: after.scripts - before.scripts,
    cpuMicros: after.cpuMicros - before.cpuMicros,
    bytesIn: after.bytesIn - before.bytesIn,
    bytesOut: after.bytesOut - before.bytesOut,
    aofBytes: after.aofBytes - before.aofBytes,
    memoryBytes: after.memoryBytes - before.memoryBytes,
    connections: after.connections - before.connections,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** A number in the text of INFO; an Error where it is not there. */
export function field(info: string, name: string): number {
  const found = new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1];
  if (found === undefined) throw new Error(`INFO has no ${name}`);
  return Number(found);
}

/** A connection to a Redis of the bench; when that ends, so does whatever is asked for. */
export function askRedis(url: string): Redis {
  const redis = new Redis(url, { retryStrategy: () => null });
  // Whoever asks for something then hears of it.
  redis.on('error', () => undefined);
  return redis;
}

/** MONITOR tells of every command; it costs Redis so much that it has a short run of its own. */
const ROWS = 3_000;

/** Commands a row that one worker and the reader give, without those that scripts give. */
export async function clientCommandsPerRow(bench: Bench): Promise<number> {
  const redis = await startRedis(bench);
  const admin = askRedis(redis.url);
  // Before anybody gives commands: ioredis ends in an error where one is told of together with the confirmation.
  await admin.ping();
  const monitor = await admin.monitor();
  const service = await startNodeService(bench, DELAY_MS);
  const place = { serviceUrl: service.url, redisUrl: redis.url };
  const worker = startOnboard(bench, ['work'], { ...place, home: await bench.home() });
  await worker.said('Working for');
  let commands = 0;
  monitor.on('monitor', (_time: string, _words: readonly string[], source: string) => {
    if (source !== 'lua') commands += 1;
  });
  const watch = await startWatch(bench, ROWS, place);
  succeeded(await watch.ended, 'onboard watch');
  monitor.disconnect();
  admin.disconnect();
  await worker.stop();
  await service.stop();
  await redis.stop();
  return commands / ROWS;
}
