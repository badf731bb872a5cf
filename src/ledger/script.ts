/**
 * Lua scripts as typed functions: sent by hash, once more as text where the server has lost them, and their answers parsed, since Redis is
 * a boundary. A script may be run twice after a lost reply; what each leaves then is tested for every one of them.
 */

import { createHash } from 'node:crypto';
import { Command } from 'ioredis';
import type { z } from 'zod';
import type { RedisConnection } from '../lib/redis-connection.ts';

/** A Lua script that runs by its hash; its answer is parsed, since Redis is a boundary. */
export type Script<Answer> = (
  redis: RedisConnection,
  keys: readonly string[],
  args: SentArguments,
) => Promise<Answer>;

type ScriptArguments = ReadonlyArray<string | number | Buffer>;
/** A function is asked each time that the script is sent: what it says may not be true any more the next time. */
export type SentArguments = ScriptArguments | (() => ScriptArguments);

/** A Redis that is full still records what became of rows: what it gives up by that is bounded (Redis 7.0, script flags). */
const ALSO_WHEN_FULL = '#!lua flags=allow-oom\n';

/** The script with the schema of its answer; a server that has lost it (a restart, a flush) is given it again. */
export function script<Answer>(lua: string, answer: z.ZodType<Answer>): Script<Answer> {
  const text = ALSO_WHEN_FULL + lua;
  const sha = createHash('sha1').update(text).digest('hex');
  return async (redis, keys, args) => {
    const sent = () => [keys.length, ...keys, ...(typeof args === 'function' ? args() : args)];
    try {
      return answer.parse(await send(redis, 'evalsha', [sha, ...sent()]));
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return answer.parse(await send(redis, 'eval', [text, ...sent()]));
    }
  };
}

/**
 * ioredis looks at each argument of a command for a list in it, which costs as much as all the rest of sending hundreds of
 * them: it is given plain texts behind that look.
 */
function send(
  redis: RedisConnection,
  name: 'eval' | 'evalsha',
  args: ReadonlyArray<string | number | Buffer>,
): Promise<unknown> {
  const isText = !args.some(isBuffer);
  const command = new Command(name, isText ? [] : [...args], { replyEncoding: 'utf8' });
  if (isText) command.args = args.map(String);
  redis.sendCommand(command);
  return command.promise;
}

function isBuffer(arg: string | number | Buffer): boolean {
  return typeof arg === 'object';
}

/**
 * Reads the answer of a script that names only the exceptions of a batch: place (1: the first item), answer, place, answer, …
 * `usual` is the answer for all other items. One answer for each item, in their order.
 */
export function withExceptions<Answer>(
  answers: readonly string[],
  count: number,
  { usual, parse }: { readonly usual: Answer; readonly parse: (text: string) => Answer },
): Answer[] {
  const all = new Array<Answer>(count).fill(usual);
  for (let i = 0; i + 1 < answers.length; i += 2) all[Number(answers[i]) - 1] = parse(answers[i + 1] ?? '');
  return all;
}
