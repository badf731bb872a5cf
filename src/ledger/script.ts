import { createHash } from 'node:crypto';
import type { z } from 'zod';
import type { RedisConnection } from '../lib/redis-connection.ts';

/** A Lua script that runs by its hash; its answer is parsed, since Redis is a boundary. */
export type Script<Answer> = (
  redis: RedisConnection,
  keys: readonly string[],
  args: ReadonlyArray<string | number | Buffer>,
) => Promise<Answer>;

/** A Redis that is full still records what became of rows: what it gives up by that is bounded (Redis 7.0, script flags). */
const ALSO_WHEN_FULL = '#!lua flags=allow-oom\n';

/** The script with the schema of its answer; a server that has lost it (a restart, a flush) is given it again. */
export function script<Answer>(lua: string, answer: z.ZodType<Answer>): Script<Answer> {
  const text = ALSO_WHEN_FULL + lua;
  const sha = createHash('sha1').update(text).digest('hex');
  return async (redis, keys, args) => {
    const rest = [keys.length, ...keys, ...args] as const;
    try {
      return answer.parse(await redis.evalsha(sha, ...rest));
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return answer.parse(await redis.eval(text, ...rest));
    }
  };
}
