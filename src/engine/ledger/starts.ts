/**
 * Starts that their caller has named: for a day a name stands for one run, whatever is lost between
 * the request and its answer. The run's id is kept before anything is begun.
 */
import { z } from 'zod';
import { shortDigest } from '../../lib/digest.ts';
import type { RedisConnection } from '../../lib/redis-connection.ts';
import type { LedgerKeys } from './keys.ts';

const KEPT_SECONDS = 24 * 3_600;
const CHARACTERS = 22;

const startSchema = z.object({
  /** Digest of what was asked for. */
  of: z.string(),
  run: z.string(),
  /** Told again; `null`: the first answer was not given yet, or was lost. */
  answer: z.string().nullable(),
});
type Start = z.infer<typeof startSchema>;

export type KnownStart = Start & { readonly isFirst: boolean };

type NamedStart = {
  /** Of one caller. */
  readonly name: string;
  readonly asked: string;
  /** Its run, where it is the first of that name. */
  readonly run: string;
};

/** `null`: that name stands for something else. `isFirst`: nobody has asked so before. */
export async function claimStart(
  redis: RedisConnection,
  keys: LedgerKeys,
  { name, asked, run }: NamedStart,
): Promise<KnownStart | null> {
  const place = placeOf(keys, name);
  const own: Start = { of: shortDigest(asked, CHARACTERS), run, answer: null };
  const isFirst = (await redis.set(place, JSON.stringify(own), 'EX', KEPT_SECONDS, 'NX')) === 'OK';
  if (isFirst) return { ...own, isFirst };
  const known = startSchema.parse(JSON.parse((await redis.get(place)) ?? JSON.stringify(own)));
  return known.of === own.of ? { ...known, isFirst } : null;
}

/** For whoever asks again. */
export async function keepAnswer(
  redis: RedisConnection,
  keys: LedgerKeys,
  { name, ...start }: Omit<Start, 'answer'> & { readonly name: string; readonly answer: string },
): Promise<void> {
  await redis.set(placeOf(keys, name), JSON.stringify(start satisfies Start), 'EX', KEPT_SECONDS, 'XX');
}

/** Nothing was begun: the name is free again. */
export async function forgetStart(redis: RedisConnection, keys: LedgerKeys, name: string): Promise<void> {
  await redis.del(placeOf(keys, name));
}

function placeOf(keys: LedgerKeys, name: string): string {
  return keys.start(shortDigest(name, CHARACTERS));
}
