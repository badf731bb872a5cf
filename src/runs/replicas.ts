/**
 * What a person asked for is done once a replica has it: else a failover brings back what was
 * before. Waited for where the ledger ever had a replica, or has Sentinels.
 */
import type { RedisConnection } from '../lib/redis-connection.ts';
import type { Ledger } from '../session.ts';

const WAIT_MS = 1_000;
/** Among the target's files: that a replica was seen. */
const REPLICATED = 'replicated';

/** False: none has confirmed it, and the user is told. */
export async function waitForReplica(ledger: Ledger, target: string): Promise<boolean> {
  const { redis, address, of, warn } = ledger;
  const { files } = of(target).keys;
  const isKnown = address.kind === 'sentinel' || (await redis.hget(files, REPLICATED)) !== null;
  if (!isKnown && !(await hasReplica(redis, files))) return true;
  // Whoever has this write has all before it, also where nothing was left to be recorded.
  const asked = await atServerOf(files, redis).hset(files, REPLICATED, '1').wait(1, WAIT_MS).exec();
  if (Number(asked?.at(-1)?.[1] ?? 0) > 0) return true;
  warn?.(NOT_COPIED);
  return false;
}

const NOT_COPIED =
  'No replica of Redis has confirmed this within a second: with the master it would be lost. ' +
  'Have a replica follow it.';

async function hasReplica(redis: RedisConnection, key: string): Promise<boolean> {
  const asked = await atServerOf(key, redis).info('replication').exec();
  return /^connected_slaves:[1-9]/m.test(String(asked?.at(-1)?.[1]));
}

/** A pipeline goes to the server of its first key, by the connection that writes there. */
function atServerOf(key: string, redis: RedisConnection) {
  return redis.pipeline().exists(key);
}
