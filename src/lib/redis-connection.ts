/** A connection to the servers that hold the ledger: a single server's, or a cluster's. */
import type { Cluster, Redis } from 'ioredis';

export type RedisConnection = Redis | Cluster;
