import type { RedisConnection } from '../lib/redis-connection.ts';
import type { Io } from '../lib/terminal.ts';
import { tellOverBar } from '../runs/tell-over-bar.ts';

/** An embedded server is started again before that, and a failover is nearly over. */
const WORTH_A_WORD_MS = 3_000;

/**
 * Tells the user when everything waits for Redis, and when it goes on: the log alone speaks of lost connections, and not to a terminal.
 * `name`: how the user knows the server. Answers what ends it.
 */
export function noticeRedis(io: Io, redis: RedisConnection, name: string): () => void {
  let waiting: NodeJS.Timeout | null = null;
  let isTold = false;
  const away = () => {
    const since = new Date();
    waiting ??= setTimeout(() => {
      isTold = true;
      const time = since.toISOString().slice(11, 19);
      tellOverBar(
        io,
        `Redis at ${name} is away since ${time} UTC: nothing is sent meanwhile, and it goes on by itself.`,
      );
    }, WORTH_A_WORD_MS).unref();
  };
  const back = () => {
    if (waiting !== null) clearTimeout(waiting);
    waiting = null;
    if (isTold) tellOverBar(io, 'Redis is back.');
    isTold = false;
  };
  redis.on('close', away);
  redis.on('ready', back);
  return () => {
    redis.off('close', away);
    redis.off('ready', back);
    if (waiting !== null) clearTimeout(waiting);
  };
}
