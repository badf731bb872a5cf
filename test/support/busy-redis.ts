import { Redis } from 'ioredis';
import { atTestEnd } from './at-test-end.ts';
import { type RedisServer, startRedisServer } from './redis-server.ts';
import { until } from './until.ts';

/** A Redis that answers BUSY to everybody while somebody else's script runs in it. */
export type BusyRedis = RedisServer & {
  /** Starts a script without an end; resolves when commands are answered with BUSY. */
  beBusy(): Promise<void>;
  /** Kills it. */
  endScript(): Promise<void>;
};

export async function startBusyRedis(): Promise<BusyRedis> {
  const server = await startRedisServer({ 'busy-reply-threshold': '1' });
  const foreign = new Redis(server.port, { maxRetriesPerRequest: null });
  foreign.on('error', () => undefined);
  atTestEnd(() => foreign.disconnect());
  const answers = () =>
    server.redis.ping().then(
      () => true,
      () => false,
    );
  return {
    ...server,
    async beBusy() {
      foreign.eval('while true do end', 0).catch(() => undefined);
      await until(async () => !(await answers()));
    },
    async endScript() {
      await server.redis.call('SCRIPT', 'KILL');
      await until(answers);
    },
  };
}
