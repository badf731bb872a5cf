import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { z } from 'zod';

/** A Lua script that runs by its hash; its answer is parsed, since Redis is a boundary. */
export type Script<Answer> = (
  redis: Redis,
  keys: readonly string[],
  args: ReadonlyArray<string | number | Buffer>,
) => Promise<Answer>;

/** The script with the schema of its answer; a server that has lost it (a restart, a flush) is given it again. */
export function script<Answer>(lua: string, answer: z.ZodType<Answer>): Script<Answer> {
  const sha = createHash('sha1').update(lua).digest('hex');
  return async (redis, keys, args) => {
    const rest = [keys.length, ...keys, ...args] as const;
    try {
      return answer.parse(await redis.evalsha(sha, ...rest));
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return answer.parse(await redis.eval(lua, ...rest));
    }
  };
}
