import { randomBytes } from 'node:crypto';
import { type LedgerKeys, ledgerKeys } from '../../src/engine/ledger/keys.ts';
import { openSealing, readKeyring } from '../../src/engine/ledger/sealing.ts';
import type { RedisConnection } from '../../src/lib/redis-connection.ts';
import { KEY_BYTES } from '../../src/lib/seal.ts';
import { ownFolder } from './folder.ts';

export function newKey(): string {
  return randomBytes(KEY_BYTES).toString('base64');
}

type Opening = {
  readonly key?: string | null;
  readonly former?: readonly string[];
  readonly home?: string;
  readonly hasRuns?: boolean;
  readonly sealedUnder?: string | null;
};

/** As a command opens it that has that key in its environment. */
export async function openWith(redis: RedisConnection, opening: Opening = {}) {
  const { key = newKey(), former = [], home = await ownFolder() } = opening;
  const { hasRuns = false, sealedUnder = null } = opening;
  const keyring = await readKeyring(key === null ? null : { kind: 'value', value: key }, {
    kind: 'value',
    value: former.join(' '),
  });
  return openSealing(redis, { keyring, home, hasRuns, sealedUnder: async () => sealedUnder });
}

const KEY = newKey();

/** A sealed ledger that no other test shares; all those of a Redis have one key. */
export async function sealedKeys(redis: RedisConnection): Promise<LedgerKeys> {
  const sealing = await openWith(redis, { key: KEY });
  await sealing.begun();
  return ledgerKeys(
    `http://127.0.0.1/${randomBytes(6).toString('hex')}`,
    { name: 'ann', via: 'user' },
    sealing,
  );
}
