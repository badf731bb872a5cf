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
    const sent = (what: string) => [
      what,
      keys.length,
      ...keys,
      ...(typeof args === 'function' ? args() : args),
    ];
    try {
      return answer.parse(await send(redis, 'evalsha', sent(sha)));
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return answer.parse(await send(redis, 'eval', sent(text)));
    }
  };
}

/**
 * Told as it is: ioredis looks at each argument of a command for a list in it, and writes each by itself where one of them is bytes, which
 * costs several times as much as all the rest of sending hundreds of them.
 */
class ScriptCommand extends Command {
  readonly #sent: ReadonlyArray<string | Buffer>;

  constructor(name: 'eval' | 'evalsha', args: ScriptArguments) {
    super(name, [], { replyEncoding: 'utf8' });
    const sent = args.map((arg) => (typeof arg === 'number' ? String(arg) : arg));
    this.args = sent;
    this.#sent = sent;
  }

  override toWritable(): string | Buffer {
    const parts: Buffer[] = [];
    let text = `*${this.#sent.length + 1}\r\n$${this.name.length}\r\n${this.name}\r\n`;
    for (const arg of this.#sent) {
      const length = `$${Buffer.byteLength(arg)}\r\n`;
      if (typeof arg === 'string') text += `${length}${arg}\r\n`;
      else {
        parts.push(Buffer.from(text + length), arg);
        text = '\r\n';
      }
    }
    return parts.length === 0 ? text : Buffer.concat([...parts, Buffer.from(text)]);
  }
}

function send(redis: RedisConnection, name: 'eval' | 'evalsha', args: ScriptArguments): Promise<unknown> {
  const command = new ScriptCommand(name, args);
  redis.sendCommand(command);
  return command.promise;
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
