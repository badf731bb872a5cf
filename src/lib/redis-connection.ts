/** To the server, or the cluster, that holds the ledger. */
import type { Cluster, Redis } from 'ioredis';

export type RedisConnection = Redis | Cluster;
