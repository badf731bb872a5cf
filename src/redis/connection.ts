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
