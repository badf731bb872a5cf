import { Cluster, type Redis } from 'ioredis';
import type { RedisConnection } from '../lib/redis-connection.ts';

/** One of the servers that hold the ledger. */
export type DataServer = {
  /** `host:port` of a cluster's node; `null`: there is only one server. */
  readonly name: string | null;
  readonly redis: Redis;
};

/** Every server that holds the ledger now: the only one, or each master of a cluster. */
export async function dataServers(redis: RedisConnection): Promise<readonly DataServer[]> {
  if (!(redis instanceof Cluster)) return [{ name: null, redis }];
  // Which they are is known when the first command has its answer.
  await redis.ping();
  return redis.nodes('master').map((node) => ({ name: nameOf(node), redis: node }));
}

function nameOf({ options }: Redis): string {
  return `${options.host ?? ''}:${options.port ?? ''}`;
}
