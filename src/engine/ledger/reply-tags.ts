/**
 * Tags of rows that a partner gets back: short HMACs over run, row and the folder that the run's
 * file came from, under a secret that the ledger keeps and, where it is sealed, its ledger key too.
 * Without a tag nobody can name a row of somebody else's.
 */
import { randomBytes } from 'node:crypto';
import type { RedisConnection } from '../../lib/redis-connection.ts';
import { KEY_BYTES, keyedDigest } from '../../lib/seal.ts';
import type { LedgerKeys } from './keys.ts';

/** `folder`: as the run's record has it; `''`: its file came from none. */
export type TagOf = (run: string, row: number, folder: string) => string;

/** 72 bits. */
const TAG_CHARACTERS = 12;
const WHOLE = 43;

function tagsUnder(secret: string, { sealing }: LedgerKeys): TagOf {
  const digest = keyedDigest(Buffer.from(secret, 'base64'));
  return (run, row, folder) => {
    const own = digest(`${run} ${row} ${folder}`, WHOLE);
    return sealing.digest(own, TAG_CHARACTERS);
  };
}

/** To make tags; begins the secret where there is none. */
export async function makeTags(redis: RedisConnection, keys: LedgerKeys): Promise<TagOf> {
  const made = randomBytes(KEY_BYTES).toString('base64');
  const { replySecret } = keys;
  await redis.setnx(replySecret, made);
  const kept = await redis.get(replySecret);
  return tagsUnder(kept ?? made, keys);
}

/** To compare with; none fits where no tag was ever made. */
export async function readTags(redis: RedisConnection, keys: LedgerKeys): Promise<TagOf> {
  const secret = await redis.get(keys.replySecret);
  if (secret === null) return () => '';
  return tagsUnder(secret, keys);
}

/** Of an inbox folder, for a run's record: its name may say whose files they are. */
export function folderDigest(from: string, { sealing }: LedgerKeys): string {
  return sealing.digest(`folder ${from}`, TAG_CHARACTERS);
}
