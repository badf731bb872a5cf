/**
 * How a script's act gets into the audit's chain: the script appends the entry itself, so that
 * neither happens without the other, and refuses where its link is not to the last entry.
 */
import { hash } from 'node:crypto';
import { z } from 'zod';
import { messageOf } from '../../lib/errors.ts';
import type { RedisConnection } from '../../lib/redis-connection.ts';
import { digestOf } from '../../model/audit.ts';
import AUDIT from './lua/audit.lua';
import { protocol } from './protocol.ts';
import { script } from './script.ts';

const append = script(AUDIT, z.number());

/** What names the last entry of a chain to the scripts: `<sha1> <sha256>`. */
async function linkTo(redis: RedisConnection, chain: string): Promise<string> {
  const last = await redis.lindex(chain, -1);
  return `${hash('sha1', last ?? '')} ${last === null ? '' : digestOf(last)}`;
}

/** Links to no entry: enough for a script that turns out to append nothing. */
const NO_LINK = '0 ';

/**
 * Sends a script that may append to these chains, anew wherever another entry came between.
 * `send`: with a link for each chain, in this order.
 */
export async function appending<Answer>(
  redis: RedisConnection,
  chains: readonly string[],
  send: (links: readonly string[]) => Promise<Answer>,
): Promise<Answer> {
  let links: readonly string[] = chains.map(() => NO_LINK);
  for (;;) {
    try {
      return await send(links);
    } catch (error) {
      if (!messageOf(error).includes(protocol.staleLink)) throw error;
      links = await Promise.all(chains.map((chain) => linkTo(redis, chain)));
    }
  }
}

/** `names`: the chain, and records whose stories tell of it. `said`: stub, what, of. */
export async function appendEntry(
  redis: RedisConnection,
  names: readonly [chain: string, ...records: string[]],
  said: readonly string[],
): Promise<void> {
  await appending(redis, [names[0]], ([link = '']) => append(redis, names, [link, ...said]));
}
