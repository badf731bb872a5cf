import type { Redis } from 'ioredis';

/** What a server says of itself; `null`: it doesn't say, as some managed ones do. */
export type RedisSettings = {
  readonly version: string | null;
  readonly appendOnly: boolean | null;
  readonly evictionPolicy: string | null;
  readonly fsync: string | null;
  readonly usedMemoryBytes: number | null;
  /** 0: no limit. */
  readonly maxMemoryBytes: number | null;
  /** What ends the writing of a master that has been cut off; `null`: no Sentinel would name a successor. */
  readonly fencing: Fencing | null;
};

export type Fencing = { readonly minReplicas: number | null; readonly maxLagSeconds: number | null };

/** Reads INFO and, where a setting is not in it, CONFIG; either may be refused. */
export async function readSettings(redis: Redis): Promise<RedisSettings> {
  const info = (await orRefused(() => redis.info())) ?? '';
  const said = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? null;
  const aof = said('aof_enabled') ?? (await configured(redis, 'appendonly'));
  return {
    version: said('redis_version'),
    appendOnly: aof === null ? null : aof === '1' || aof === 'yes',
    evictionPolicy: said('maxmemory_policy') ?? (await configured(redis, 'maxmemory-policy')),
    fsync: await configured(redis, 'appendfsync'),
    usedMemoryBytes: numberOf(said('used_memory')),
    maxMemoryBytes: numberOf(said('maxmemory') ?? (await configured(redis, 'maxmemory'))),
    fencing: redis.options.sentinels ? await readFencing(redis) : null,
  };
}

async function readFencing(redis: Redis): Promise<Fencing> {
  return {
    minReplicas: numberOf(await configured(redis, 'min-replicas-to-write')),
    maxLagSeconds: numberOf(await configured(redis, 'min-replicas-max-lag')),
  };
}

async function configured(redis: Redis, name: string): Promise<string | null> {
  const answer = await orRefused(() => redis.config('GET', name));
  const value: unknown = Array.isArray(answer) ? answer[1] : null;
  return typeof value === 'string' ? value : null;
}

/** `null` where the server refuses the command to this user; a broken connection is not a refusal. */
async function orRefused<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Error && error.name === 'ReplyError') return null;
    throw error;
  }
}

function numberOf(text: string | null): number | null {
  return text === null ? null : Number(text);
}
