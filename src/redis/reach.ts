import { Redis } from 'ioredis';
import { UsageError } from '../lib/usage-error.ts';
import { plainUrl, type RedisAddress, shownAddress } from './connection.ts';

const CONNECT_TIMEOUT_MS = 5_000;

/** Throws a UsageError where Redis can't be reached at the start, or refuses: only later outages are waited out. */
export async function assertReachable(address: RedisAddress): Promise<void> {
  const target = address.kind === 'url' ? plainUrl(address.url) : address.path;
  const options = { lazyConnect: true, retryStrategy: () => null, connectTimeout: CONNECT_TIMEOUT_MS };
  const probe = new Redis(target, options);
  let failure: Error | null = null;
  probe.on('error', (error: Error) => {
    failure ??= error;
  });
  try {
    await probe.connect();
    await probe.ping();
  } catch (error) {
    const cause = failure ?? error;
    throw new UsageError(
      `Redis at ${shownAddress(address)} can't be used: ${cause instanceof Error ? cause.message : String(cause)}. ` +
        'Start it, correct REDIS_URL, or leave REDIS_URL unset for an embedded server.',
      { cause },
    );
  } finally {
    probe.disconnect();
  }
}
