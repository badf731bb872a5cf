import type { Cluster, Redis } from 'ioredis';

/** A connection to the servers that hold the ledger: one of them, or a cluster's. */
export type RedisConnection = Redis | Cluster;
