import { Cluster, type Redis } from 'ioredis';
import type { RedisConnection } from '../lib/redis-connection.ts';

/**
 * Names this process at every server that it is connected to, also after each reconnect; what it answers ends that. A user who
 * may not do it stays nameless.
 */
export function nameConnections(redis: RedisConnection, name: string): () => void {
  const stops = new Map<Redis, () => void>();
  const add = (server: Redis) => {
    stops.get(server)?.();
    stops.set(server, nameConnection(server, name));
  };
  if (!(redis instanceof Cluster)) {
    add(redis);
    return () => stops.get(redis)?.();
  }
  const remove = (server: Redis) => {
    stops.get(server)?.();
    stops.delete(server);
  };
  for (const server of redis.nodes()) add(server);
  redis.on('+node', add);
  redis.on('-node', remove);
  return () => {
    redis.off('+node', add);
    redis.off('-node', remove);
    for (const stop of stops.values()) stop();
  };
}

function nameConnection(server: Redis, name: string): () => void {
  const tell = () => void server.client('SETNAME', name).catch(() => undefined);
  server.on('ready', tell);
  // A replica that nobody has needed yet is not connected for this.
  if (server.options.readOnly !== true) tell();
  return () => server.off('ready', tell);
}

/** The names of all connections to the servers that hold the ledger; none where this user may not ask. */
export async function connectionNames(redis: RedisConnection): Promise<readonly string[]> {
  const servers = redis instanceof Cluster ? redis.nodes('master') : [redis];
  try {
    const lists = await Promise.all(servers.map((server) => server.client('LIST')));
    return lists.flatMap((list) => [...String(list).matchAll(/ name=(\S+)/g)].map(([, name = '']) => name));
  } catch {
    return [];
  }
}
