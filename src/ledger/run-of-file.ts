import type { RedisConnection } from '../lib/redis-connection.ts';
import type { LedgerKeys } from './keys.ts';

/** The latest run that took a file of this content through this job; `null`: none did. */
export function runOfFile(
  redis: RedisConnection,
  keys: LedgerKeys,
  file: { readonly sha256: string; readonly job: string },
): Promise<string | null> {
  return redis.hget(keys.files, `${file.sha256}:${file.job}`);
}
