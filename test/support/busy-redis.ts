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
  let endScript = async () => {};
  atTestEnd(() => endScript());
  return {
    ...server,
    async beBusy() {
      endScript = await keepServerBusy(server);
    },
    endScript: () => endScript(),
  };
}

/** Starts a foreign script without an end; resolves when commands are answered with BUSY, with what kills it. */
export async function keepServerBusy({ redis }: Pick<RedisServer, 'redis'>): Promise<() => Promise<void>> {
  const foreign = redis.duplicate({ retryStrategy: () => null });
  foreign.on('error', () => undefined);
  const answers = () =>
    redis.ping().then(
      () => true,
      () => false,
    );
  foreign.eval('while true do end', 0).catch(() => undefined);
  await until(async () => !(await answers()));
  return async () => {
    // Killed already where the test ended it itself.
    await redis.call('SCRIPT', 'KILL').catch(() => undefined);
    await until(answers);
    foreign.disconnect();
  };
}
