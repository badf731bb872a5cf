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

/** With a link for each chain, in their order. */
type Send<Answer> = (links: readonly string[]) => Promise<Answer>;

/** Sends a script that appends to these chains, anew wherever another entry came between. */
export async function appending<Answer>(
  redis: RedisConnection,
  chains: readonly string[],
  send: Send<Answer>,
): Promise<Answer> {
  for (;;) {
    const links = await Promise.all(chains.map((chain) => linkTo(redis, chain)));
    try {
      return await send(links);
    } catch (error) {
      if (!isStale(error)) throw error;
    }
  }
}

/** Links to no entry. */
const NO_LINK = '0 ';

/** As `appending`, of a script that appends seldom: nothing is read before it says that it does. */
export async function appendingSeldom<Answer>(
  redis: RedisConnection,
  chains: readonly string[],
  send: Send<Answer>,
): Promise<Answer> {
  try {
    return await send(chains.map(() => NO_LINK));
  } catch (error) {
    if (!isStale(error)) throw error;
    return appending(redis, chains, send);
  }
}

function isStale(error: unknown): boolean {
  return messageOf(error).includes(protocol.staleLink);
}

/** `names`: the chain, and records whose stories tell of it. `said`: stub, what, of. */
export async function appendEntry(
  redis: RedisConnection,
  names: readonly [chain: string, ...records: string[]],
  said: readonly string[],
): Promise<void> {
  await appending(redis, [names[0]], ([link = '']) => append(redis, names, [link, ...said]));
}
