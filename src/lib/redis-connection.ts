/** To the server, or the cluster, that holds the ledger. */
import type { Cluster, Redis } from 'ioredis';

export type RedisConnection = Redis | Cluster;

/**
 * Of a server's answers: this user may not, until somebody changes that. What the program does
 * without (docs/redis.md) doesn't count. Within a script each version of Redis has other words.
 */
export const REFUSES_USER =
  /NOAUTH|WRONGPASS|NOPERM (?!.*'(?:config|client|info|bgrewriteaof|wait)\b)|ACL failure|executing the script/;
