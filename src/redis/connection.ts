import { Redis } from 'ioredis';

/** Where Redis listens. */
export type RedisAddress =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'socket'; readonly path: string };

const RECONNECT_STEP_MS = 50;
const RECONNECT_MAX_MS = 1000;

/**
 * A connection that waits out an outage: commands given meanwhile are held and sent again after the reconnect,
 * which is safe because every ledger script gives the same result when it runs twice.
 */
export function connectRedis(address: RedisAddress, onError: (error: Error) => void): Redis {
  const options = {
    maxRetriesPerRequest: null,
    enableReadyCheck: true,
    // A master that has become a replica keeps its connections: the command is sent again over a new one.
    reconnectOnError: (error: Error) => (error.message.startsWith('READONLY') ? (2 as const) : false),
    retryStrategy: (times: number) => Math.min(times * RECONNECT_STEP_MS, RECONNECT_MAX_MS),
  };
  const redis =
    address.kind === 'url' ? new Redis(plainUrl(address.url), options) : new Redis(address.path, options);
  redis.on('error', onError);
  return redis;
}

/** ioredis takes a socket as a bare path. */
export function plainUrl(url: string): string {
  return url.startsWith('unix://') ? url.slice('unix://'.length) : url;
}

/** The address without its user and password. */
export function shownAddress(address: RedisAddress): string {
  if (address.kind === 'socket' || address.url.startsWith('unix:'))
    return plainUrl(address.kind === 'url' ? address.url : address.path);
  const { protocol, host } = new URL(address.url);
  return `${protocol}//${host}`;
}
