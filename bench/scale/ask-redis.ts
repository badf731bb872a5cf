import { Redis } from 'ioredis';

/** A connection to a Redis of the bench; when that ends, so does whatever is asked for. */
export function askRedis(url: string): Redis {
  const redis = new Redis(url, { retryStrategy: () => null });
  // Whoever asks for something then hears of it.
  redis.on('error', () => undefined);
  return redis;
}
