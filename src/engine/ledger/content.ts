/** What a person says of records' content: the ledger can't know what was changed by hand. */
import { z } from 'zod';
import { batchesOf } from '../../lib/batches.ts';
import type { RedisConnection } from '../../lib/redis-connection.ts';
import { identityPlace, type KeyPlace, type LedgerKeys } from './keys.ts';
import KNOW_CONTENT from './lua/know-content.lua';
import { script } from './script.ts';

const know = script(KNOW_CONTENT, z.number());
const RECORDS_PER_CALL = 200;

/** `content`: as `packContent` makes it. A key that is not known stays so. May run twice. */
export async function knowContent(
  redis: RedisConnection,
  keys: LedgerKeys,
  records: ReadonlyArray<KeyPlace & { readonly content: string }>,
): Promise<void> {
  for (const batch of batchesOf(records, RECORDS_PER_CALL)) {
    const args = batch.flatMap(({ content, ...of }) => {
      const { bucket, digest } = identityPlace(keys, of);
      return [bucket, digest, content];
    });
    await know(redis, [keys.audit], args);
  }
}
