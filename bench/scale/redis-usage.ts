import type { Redis } from 'ioredis';

/** What a Redis has done since its start, and what it holds now. */
export type RedisUsage = {
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
  return parseUsage(await redis.info('all'));
}

/** The same, from the text of INFO. */
export function parseUsage(info: string): RedisUsage {
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

function field(info: string, name: string): number {
  const found = new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1];
  if (found === undefined) throw new Error(`INFO has no ${name}`);
  return Number(found);
}
