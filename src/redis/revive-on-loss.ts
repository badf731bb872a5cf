import type { RedisConnection } from '../lib/redis-connection.ts';

/**
 * Has the server revived each time the connection is lost, until it is there again. A loss that the process itself asked
 * for is none. `stop` ends that, and waits for an attempt under way.
 */
export function reviveOnLoss(
  redis: RedisConnection,
  revive: () => Promise<boolean>,
  onTrouble: (error: Error) => void,
): { stop(): Promise<void> } {
  let attempt: Promise<void> | null = null;
  const tryOnce = async () => {
    try {
      await revive();
    } catch (error) {
      onTrouble(error instanceof Error ? error : new Error(String(error)));
    } finally {
      attempt = null;
    }
  };
  const onReconnecting = () => {
    attempt ??= tryOnce();
  };
  redis.on('reconnecting', onReconnecting);
  return {
    async stop() {
      redis.off('reconnecting', onReconnecting);
      await attempt;
    },
  };
}
