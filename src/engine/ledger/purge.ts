/**
 * A run's purge in Redis: it is begun; what stays of its blocks is written beside them; one script
 * changes the two and removes the rest, so that until then all rows are there, and after it none.
 * Each step may be done again, and by several processes at once.
 */
import { z } from 'zod';
import type { RedisConnection } from '../../lib/redis-connection.ts';
import { CLEAR } from '../../lib/seal.ts';
import type { KeyForm } from '../../model/key-form.ts';
import { PURGED_FILE, type Purged } from '../../model/run.ts';
import { withoutValues } from '../../model/sentence.ts';
import { forgetAccounts } from './account-index.ts';
import { stubOf } from './audit.ts';
import { appending } from './audit-chain.ts';
import { type PackedChunk, packChunk } from './block.ts';
import { fieldsPlace, identityPlace, type LedgerKeys, placeOfDigest, type RunKeys } from './keys.ts';
import COMPLETE_PURGE from './lua/complete-purge.lua';
import FORGET_CONTENT from './lua/forget-content.lua';
import type { RunBrief } from './run-record.ts';
import { readAll } from './run-view.ts';
import { script } from './script.ts';

const complete = script(COMPLETE_PURGE, z.number());
const forget = script(FORGET_CONTENT, z.number());

/** Of the run's job. `space`: of its keys; `null`: they are its own. */
type PurgedKeys = {
  readonly space: string | null;
  readonly form: KeyForm | undefined;
  /** Its accounts are guarded. */
  readonly isGuarded: boolean;
};

async function keepPurged(redis: RedisConnection, k: RunKeys, chunk: string, packed: PackedChunk) {
  const { block, open } = packed;
  // An earlier attempt may have found a row in doubt that has its outcome by now.
  if (open === null) await redis.hdel(k.purgedOpenRows, chunk);
  else await redis.hset(k.purgedOpenRows, chunk, open);
  await redis.hset(k.purgedBlocks, chunk, block);
}

export function openPurge(redis: RedisConnection, keys: LedgerKeys, run: RunBrief) {
  const k = keys.run(run.id);
  const forgetContent = (space: string, digests: readonly string[], keepsAccounts: boolean) => {
    const places = digests.flatMap((digest) => {
      const of = { space, key: '', place: placeOfDigest(digest) };
      const [key, fields] = [identityPlace(keys, of), fieldsPlace(keys, of)];
      return [key.bucket, key.digest, fields.bucket, fields.digest];
    });
    return forget(redis, [k.record], [run.id, keepsAccounts ? '1' : '', ...places]);
  };
  return {
    /** From now on no rerun takes its rows. */
    begin: (purged: Purged) => redis.hsetnx(k.record, 'purged', JSON.stringify({ ...purged, isDone: false })),
    /** In clear: the data key goes. False: the signal came first. */
    async writeBlocks({ space, form, isGuarded }: PurgedKeys, signal: AbortSignal): Promise<boolean> {
      const digestOf = (key: string) => identityPlace(keys, { space: '', key, form }).digest;
      // An HMAC says nothing of an account to who has Redis alone.
      const keepsAccounts = isGuarded && keys.sealing.keyId !== null;
      for await (const { chunk, closedAt, settlements } of readAll(redis, k, run.chunks)) {
        if (signal.aborted) return false;
        const left = settlements.map(({ key, keyDigest = key && digestOf(key), accounts, ...kept }) => ({
          ...kept,
          ...(keepsAccounts && accounts !== undefined && { accounts }),
          key: '',
          ...(keyDigest !== '' && { keyDigest }),
          message: '',
          values: {},
          issues: kept.issues.map(withoutValues),
        }));
        const digests = left.flatMap(({ keyDigest = '' }) => (keyDigest === '' ? [] : [keyDigest]));
        if (space !== null) await forgetContent(space, digests, keepsAccounts);
        await keepPurged(redis, k, String(chunk), packChunk(left, closedAt ?? 0, CLEAR));
      }
      if (space !== null && !keepsAccounts) await forgetAccounts({ redis, keys, space }, run.id);
      return true;
    },
    /** Told once, whoever else did the same. */
    async complete(purged: Purged): Promise<void> {
      const { by } = purged;
      const of = { count: run.rows, ...run.outcomes, ...(by !== keys.actor.name && { by }) };
      const gone = [k.sources, k.bodies, k.documents, k.sightings, k.late, k.input];
      const parts = [k.blocks, k.openRows, k.purgedBlocks, k.purgedOpenRows];
      const names = [k.record, ...parts, keys.audit, ...gone];
      const entry = [stubOf(keys, run.id, purged.at), JSON.stringify(of)];
      await appending(redis, [keys.audit], ([link = '']) =>
        complete(redis, names, [JSON.stringify(purged), PURGED_FILE, link, ...entry]),
      );
    },
  };
}
