import { expect, test } from 'vitest';
import type { LedgerEpoch } from '../../src/ledger/epoch.ts';
import { claimKeys } from '../../src/ledger/key-claims.ts';
import { identityOf, type LedgerKeys } from '../../src/ledger/keys.ts';
import { openTestEpoch } from '../support/epoch.ts';
import { useOwnRedis } from '../support/redis.ts';
import { ownKeys } from '../support/runs.ts';

const own = useOwnRedis();

type Ledger = { readonly keys: LedgerKeys; readonly epoch: LedgerEpoch };

async function ownLedger(): Promise<Ledger> {
  const keys = ownKeys();
  return { keys, epoch: await openTestEpoch(own().redis, keys) };
}

const claim = ({ keys, epoch }: Ledger, run: string, ...rows: Array<[number, string]>) =>
  claimKeys(epoch, keys, {
    run,
    space: { name: 'subclient', ofRun: false },
    rows: rows.map(([row, key]) => ({ row, key })),
  });

const write = ({ keys }: Ledger, key: string, entry: string) => {
  const { bucket, digest } = identityOf(key);
  return own().redis.hset(`${keys.identity('subclient')}${bucket}`, digest, entry);
};

test('a key is claimed once per file: the later row is a duplicate and names the earlier', async () => {
  const ledger = await ownLedger();
  expect(await claim(ledger, 'r1', [1, 'A'], [2, 'B'], [3, 'A'])).toEqual([
    { kind: 'claimed' },
    { kind: 'claimed' },
    { kind: 'duplicate', row: 1 },
  ]);
});

test('claiming again, as a resumed reading does, gives the same answers', async () => {
  const ledger = await ownLedger();
  const rows: Array<[number, string]> = [
    [1, 'A'],
    [2, 'A'],
    [3, 'B'],
  ];
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
  expect(await claim(ledger, 'r2', [1, 'A'], [2, 'A'])).toEqual([
    { kind: 'known', run: 'r1', id: 'id with spaces' },
    { kind: 'duplicate', row: 1 },
  ]);
  expect(await claim(ledger, 'r3', [9, 'A'])).toEqual([{ kind: 'known', run: 'r1', id: 'id with spaces' }]);
});

test('a key that was given back is free for another run, and still a duplicate within its own', async () => {
  const ledger = await ownLedger();
  await write(ledger, 'A', 'x r1 7 ');
  expect(await claim(ledger, 'r1', [8, 'A'])).toEqual([{ kind: 'duplicate', row: 7 }]);
  expect(await claim(ledger, 'r2', [1, 'A'])).toEqual([{ kind: 'claimed' }]);
});

test('keys of the subclient and the counterparty ledger are apart', async () => {
  const ledger = await ownLedger();
  await claim(ledger, 'r1', [1, 'A']);
  expect(
    await claimKeys(ledger.epoch, ledger.keys, {
      run: 'r2',
      space: { name: 'counterparty', ofRun: false },
      rows: [{ row: 1, key: 'A' }],
    }),
  ).toEqual([{ kind: 'claimed' }]);
});
