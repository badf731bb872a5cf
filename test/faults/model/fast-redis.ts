import { Redis } from 'ioredis';
import { afterAll, beforeAll } from 'vitest';
import { useOwnRedis } from '../../support/redis.ts';

const DATABASES = 16;

/**
 * A Redis of the test file's own, once per database. It writes nothing down: what a Redis forgets is up to the model.
 */
export function useFastRedis(): () => readonly Redis[] {
  const own = useOwnRedis();
  let connection: Redis | null = null;
  let databases: readonly Redis[] = [];
  beforeAll(async () => {
    await own().redis.config('SET', 'appendonly', 'no');
    // Connected anew it would be in another database than was selected last.
    connection = new Redis(String(own().address.path), { retryStrategy: () => null });
    await connection.ping();
    databases = shareConnection(connection);
  });
  afterAll(() => connection?.disconnect());
  return () => databases;
}

/** Its databases as if each had a connection: what is asked for at once, of whichever, goes in one write. */
export function shareConnection(connection: Redis): readonly Redis[] {
  let selected = 0;
  return Array.from({ length: DATABASES }, (_, db) => {
    const redis: Redis = Object.create(connection);
    redis.sendCommand = (command, ...rest) => {
      if (connection.stream.writableCorked === 0) {
        connection.stream.cork();
        setImmediate(() => connection.stream.uncork());
      }
      // Where it fails the command after it does too.
      if (selected !== db) connection.select(db).catch(() => undefined);
      selected = db;
      return connection.sendCommand(command, ...rest);
    };
    return redis;
  });
}
