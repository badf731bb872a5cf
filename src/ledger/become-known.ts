import { z } from 'zod';
import type { RedisConnection } from '../lib/redis-connection.ts';
import { sleep } from '../lib/waiting.ts';
import { UNAWARE } from './lua/gate.ts';
import { script } from './script.ts';

const unaware = script(UNAWARE, z.tuple([z.string()]).rest(z.string()));

const POLL_MS = 50;
/** Some signs of life: a member that gives none for so long is not asked for. */
const ALIVE_MS = 5_000;

/**
 * Resolves when every living member of the gate has been told of this one, after a few seconds at most. A Redis that goes back in time
 * forgets its latest member with all it sent, and where that one is gone too nobody else would know that there is anything to wait for.
 */
export async function becomeKnown(
  redis: RedisConnection,
  gate: string,
  { member, isGone }: { readonly member: string; readonly isGone: (member: string) => boolean },
): Promise<void> {
  let since = '0';
  for (const deadline = performance.now() + ALIVE_MS; performance.now() < deadline; await sleep(POLL_MS)) {
    const [asked, ...others] = await unaware(redis, [gate], [member, ALIVE_MS, since]);
    if (others.every(isGone)) return;
    since = asked;
  }
}
