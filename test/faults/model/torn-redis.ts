import type { Redis } from 'ioredis';

/**
 * Redis as it may come back from a second start on a torn append-only file: the last transaction, a script's writes, is
 * carried out in part, and nobody was answered.
 */
export type TornRedis = {
  readonly redis: Redis;
  /** The next script on that key carries out so many writes; then `after` is called, and the script is sent again or lost. */
  tear(torn: Tear | null): void;
};

type Tear = {
  readonly key: string;
  readonly writes: number;
  /** Whether the script's sender is there to send it again. */
  after(): Promise<'again' | 'gone'>;
};

/** The sender died before it was answered. */
export class Unanswered extends Error {}

type Sent = Parameters<Redis['sendCommand']>[0];

export function tornRedis(connection: Redis): TornRedis {
  let tear: Tear | null = null;
  const redis: Redis = Object.create(connection);
  redis.sendCommand = (command: Sent, ...rest) => {
    if (tear === null) return connection.sendCommand(command, ...rest);
    const [text = '', , ...keys] = command.args.map(String);
    if (!command.name.startsWith('eval') || !keys.includes(tear.key)) {
      return connection.sendCommand(command, ...rest);
    }
    // Its sender then sends the text itself.
    if (command.name === 'evalsha') command.reject(new Error('NOSCRIPT for the text'));
    else {
      const torn = tear;
      tear = null;
      void carryOut(connection, { command, text, torn });
    }
    return command.promise;
  };
  return {
    redis,
    tear(torn) {
      tear = torn;
    },
  };
}

type Torn = { readonly command: Sent; readonly text: string; readonly torn: Tear };

async function carryOut(connection: Redis, { command, text, torn }: Torn): Promise<void> {
  const [, count, ...rest] = command.args;
  try {
    await connection.eval(
      inPart(text, torn.writes),
      Number(count),
      ...rest.map((one) => (Buffer.isBuffer(one) ? one : String(one))),
    );
    if ((await torn.after()) === 'again') connection.sendCommand(command);
    else command.reject(new Unanswered('the sender is gone'));
  } catch (error) {
    command.reject(error instanceof Error ? error : new Error(String(error)));
  }
}

/** The same script, of which all writes after so many are left out. */
function inPart(text: string, writes: number): string {
  const [flags = '', ...lines] = text.split('\n');
  return [flags, LEFT_OUT.replace('WRITES', String(writes)), ...lines].join('\n');
}

const LEFT_OUT = `
local redis = (function(real, left)
  local changing = {HSET = 1, HSETNX = 1, HDEL = 1, HINCRBY = 1, DEL = 1, SET = 1, ZADD = 1, EXPIRE = 1, PEXPIRE = 1, RPUSH = 1, LTRIM = 1}
  return setmetatable({call = function(name, ...)
    if changing[name] then
      if left == 0 then return 0 end
      left = left - 1
    end
    return real.call(name, ...)
  end}, {__index = real})
end)(redis, WRITES)`;
