import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import type { LedgerEpoch } from '../../src/ledger/epoch.ts';
import { identityOf, type LedgerKeys } from '../../src/ledger/keys.ts';
import { openTestEpoch } from '../support/epoch.ts';
import { claimOf, entryOf } from '../support/ledger.ts';
import { useOwnRedis } from '../support/redis.ts';
import { ownKeys } from '../support/runs.ts';

const own = useOwnRedis();

const CLAIMED = { kind: 'claimed' };

type Ledger = { readonly keys: LedgerKeys; readonly epoch: LedgerEpoch };

async function ownLedger(): Promise<Ledger> {
  const keys = ownKeys();
  return { keys, epoch: await openTestEpoch(own().redis, keys) };
}

const claim = (ledger: Ledger, run: string, ...rows: ReadonlyArray<readonly [number, string]>) =>
  claimOf(ledger, run, rows);

const write = ({ keys }: Ledger, key: string, entry: string) =>
  own().redis.hset(...entryOf(keys, key), entry);

test('a key is claimed once per file: the later row is a duplicate and names the earlier', async () => {
  const ledger = await ownLedger();
  expect(await claim(ledger, 'r1', [1, 'A'], [2, 'B'], [3, 'A'])).toEqual([
    CLAIMED,
    CLAIMED,
    { kind: 'duplicate', row: 1 },
  ]);
});

test('claiming again, as a resumed reading does, gives the same answers', async () => {
  const ledger = await ownLedger();
  const rows = [1, 2, 3].map((row) => [row, row < 3 ? 'A' : 'B'] as const);
  const first = await claim(ledger, 'r1', ...rows);
  expect(await claim(ledger, 'r1', ...rows)).toEqual(first);
});

test('a key that another run holds names that run and row', async () => {
  const ledger = await ownLedger();
  await claim(ledger, 'r1', [7, 'A']);
  expect(await claim(ledger, 'r2', [1, 'A'])).toEqual([{ kind: 'held', run: 'r1', row: 7, inDoubt: false }]);
});

test('a key in doubt is not free for another run', async () => {
  const ledger = await ownLedger();
  await write(ledger, 'A', 'd r1 7 ');
  expect(await claim(ledger, 'r2', [1, 'A'])).toEqual([{ kind: 'held', run: 'r1', row: 7, inDoubt: true }]);
});

test('a created key is known with its identifier, and a second row with it is a duplicate', async () => {
  const ledger = await ownLedger();
  await write(ledger, 'A', 'k r1 7 id with spaces');
  const known = { kind: 'known', run: 'r1', id: 'id with spaces' };
  expect(await claim(ledger, 'r2', [1, 'A'], [2, 'A'])).toEqual([known, { kind: 'duplicate', row: 1 }]);
  expect(await claim(ledger, 'r3', [9, 'A'])).toEqual([known]);
});

test('a key that was given back is free for another run, and still a duplicate within its own', async () => {
  const ledger = await ownLedger();
  await write(ledger, 'A', 'x r1 7 ');
  expect(await claim(ledger, 'r1', [8, 'A'])).toEqual([{ kind: 'duplicate', row: 7 }]);
  expect(await claim(ledger, 'r2', [1, 'A'])).toEqual([CLAIMED]);
});

test('keys of the subclient and the counterparty ledger are apart', async () => {
  const ledger = await ownLedger();
  await claim(ledger, 'r1', [1, 'A']);
  expect(await claimOf(ledger, 'r2', [[1, 'A']], 'counterparty')).toEqual([CLAIMED]);
});

it('given any key, keeps it in the bucket that the first 16 bits of its digest say', () => {
  fc.assert(
    fc.property(fc.string(), (key) => {
      const { bucket, digest } = identityOf(key);
      const bits = Buffer.from(digest, 'base64url').readUInt16BE(0);
      expect(bucket).toBe((bits % 16_384).toString(36));
    }),
    { numRuns: 1_000 },
  );
});
