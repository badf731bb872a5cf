/**
 * A connection to the ledger's Redis that waits out an outage, a failover or a moved slot, named
 * after its process where that is allowed.
 */
import { Cluster, Redis } from 'ioredis';
import type { RedisAddress } from '../../config/redis-address.ts';
import { REFUSES_USER, type RedisConnection } from '../../lib/redis-connection.ts';
import { type ClusterAddress, nodeOptions, type SingleAddress, singleOptions } from './client-options.ts';
import type { OnRefused } from './connector.ts';

const RECONNECT_STEP_MS = 50;
const RECONNECT_MAX_MS = 1000;
/** It refuses writes for now: a former master, or a master without its replicas. */
const REFUSES_WRITES = /^(READONLY|NOREPLICAS) /;
const REFUSED_PAUSE_MS = 250;
/** How often a cluster's slots are read: only other nodes can tell of a silent master. */
const LOOK_AT_SLOTS_MS = 2_000;
const SLOTS_ANSWER_MS = 2_000;
const MOVED_PAUSE_MS = 50;

type Heard = readonly [onError: (error: Error) => void, onRefused?: OnRefused];

/**
 * Commands given during an outage are kept and sent again after the reconnect. That is safe: a
 * ledger script that runs twice leaves rows, keys and runs as it did the first time. `onRefused`:
 * called, for duplicates too, as long as the server refuses what only a person can change.
 */
export function connectRedis(address: SingleAddress, ...heard: Heard): Redis;
export function connectRedis(address: RedisAddress, ...heard: Heard): RedisConnection;
export function connectRedis(address: RedisAddress, ...heard: Heard): RedisConnection {
  return address.kind === 'cluster' ? connectCluster(address, ...heard) : connectSingle(address, ...heard);
}

function connectSingle(address: SingleAddress, ...[onError, onRefused]: Heard): Redis {
  const redis = new Redis({
    ...singleOptions(address, onRefused),
    ...patience(onError, onRefused),
    // A silent master keeps its connection until a Sentinel names another master.
    failoverDetector: address.kind === 'sentinel',
  });
  redis.on('error', onError);
  letManyLeave(redis);
  return redis;
}

function connectCluster(address: ClusterAddress, ...[onError, onRefused]: Heard): Cluster {
  const { retryStrategy, ...nodePatience } = patience(onError, onRefused);
  const cluster = new Cluster(
    address.nodes.map((node) => ({ ...node })),
    {
      redisOptions: { ...nodeOptions(address, onRefused), ...nodePatience },
      clusterRetryStrategy: retryStrategy,
      // A slot that moves, or has no master for a while, is an outage like any other.
      maxRedirections: Number.POSITIVE_INFINITY,
      retryDelayOnMoved: MOVED_PAUSE_MS,
      slotsRefreshInterval: LOOK_AT_SLOTS_MS,
      slotsRefreshTimeout: SLOTS_ANSWER_MS,
      // Certificates are made out to names.
      dnsLookup: (name, found) => found(null, name),
    },
  );
  cluster.on('error', onError);
  cluster.on('node error', onError);
  cluster.on('+node', letManyLeave);
  return cluster;
}

/** ioredis leaves a connection once per refused command: at the eleventh Node warns of a leak. */
function letManyLeave(server: Redis): void {
  server.on('connect', () => server.stream.setMaxListeners(0));
}

function patience(...[onError, onRefused]: Heard) {
  let isRefused = false;
  return {
    maxRetriesPerRequest: null,
    enableReadyCheck: true,
    // A master that became a replica keeps its connections: the command needs a new one.
    reconnectOnError(error: Error) {
      if (REFUSES_USER.test(error.message)) onRefused?.(error);
      if (!REFUSES_WRITES.test(error.message)) return false;
      if (!isRefused) onError(error);
      isRefused = true;
      return 2 as const;
    },
    retryStrategy(times: number) {
      const pause = isRefused ? REFUSED_PAUSE_MS : 0;
      isRefused = false;
      return Math.max(pause, Math.min(times * RECONNECT_STEP_MS, RECONNECT_MAX_MS));
    },
  };
}

/** Also after reconnects, until the answered function is called; nameless without permission. */
export function nameConnections(redis: RedisConnection, name: string): () => void {
  const add = (server: Redis) => {
    server.options.connectionName = name;
    // A command would connect a replica that nobody has needed yet.
    if (server.options.readOnly !== true) server.client('SETNAME', name).catch(() => undefined);
  };
  const servers = () => (redis instanceof Cluster ? redis.nodes() : [redis]);
  for (const server of servers()) add(server);
  redis.on('+node', add);
  return () => {
    redis.off('+node', add);
    for (const server of servers()) server.options.connectionName = '';
  };
}

/** None where this user may not ask. */
export async function connectionNames(redis: RedisConnection): Promise<readonly string[]> {
  const servers = redis instanceof Cluster ? redis.nodes('master') : [redis];
  try {
    const lists = await Promise.all(servers.map((server) => server.client('LIST')));
    return lists.flatMap((list) => [...String(list).matchAll(/ name=(\S+)/g)].map(([, name = '']) => name));
  } catch {
    return [];
  }
}
