/**
 * Lua scripts as typed functions: sent by hash, as text where the server lost them, with parsed
 * answers, since Redis is a boundary. After a lost reply a script may run twice; a test covers what
 * each leaves then.
 */

import { createHash } from 'node:crypto';
import { Command } from 'ioredis';
import type { z } from 'zod';
import type { RedisConnection } from '../../lib/redis-connection.ts';
import { filled } from './protocol.ts';

export type Script<Answer> = (
  redis: RedisConnection,
  keys: readonly string[],
  args: SentArguments,
) => Promise<Answer>;

type ScriptArguments = ReadonlyArray<string | number | Buffer>;
/** A function is called each time the script is sent: its values may have changed since. */
export type SentArguments = ScriptArguments | (() => ScriptArguments);

/** A full Redis still records outcomes; that takes bounded memory (Redis 7.0, script flags). */
const ALSO_WHEN_FULL = '#!lua flags=allow-oom\n';

/** `lua`: a script's file, imported: `script(CLOSE, z.number())`. */
export function script<Answer>(lua: string, answer: z.ZodType<Answer>): Script<Answer> {
  const text = `${ALSO_WHEN_FULL}local call = redis.call\n${filled(lua)}`;
  const sha = createHash('sha1').update(text).digest('hex');
  return async (redis, keys, args) => {
    // Sent at once, also where a connection puts commands together by itself.
    const send = (name: 'eval' | 'evalsha', what: string) => {
      const sent = [what, keys.length, ...keys, ...(typeof args === 'function' ? args() : args)];
      const command = new Command(name, sent, { replyEncoding: 'utf8' });
      redis.sendCommand(command);
      return command.promise;
    };
    try {
      return answer.parse(await send('evalsha', sha));
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return answer.parse(await send('eval', text));
    }
  };
}
