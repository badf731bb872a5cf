import { expect, test } from 'vitest';
import { claimKeys } from '../../src/ledger/key-claims.ts';
import { identityOf, type LedgerKeys } from '../../src/ledger/keys.ts';
import { useOwnRedis } from '../support/redis.ts';
import { ownKeys } from '../support/runs.ts';

const own = useOwnRedis();

const claim = (keys: LedgerKeys, run: string, ...rows: Array<[number, string]>) =>
  claimKeys(own().redis, keys, {
    run,
    space: { name: 'subclient', ofRun: false },
    rows: rows.map(([row, key]) => ({ row, key })),
  });

const write = (keys: LedgerKeys, key: string, entry: string) => {
  const { bucket, digest } = identityOf(key);
  return own().redis.hset(`${keys.identity('subclient')}${bucket}`, digest, entry);
};

test('a key is claimed once per file: the later row is a duplicate and names the earlier', async () => {
  const keys = ownKeys();
  expect(await claim(keys, 'r1', [1, 'A'], [2, 'B'], [3, 'A'])).toEqual([
    { kind: 'claimed' },
    { kind: 'claimed' },
    { kind: 'duplicate', row: 1 },
  ]);
});

test('claiming again, as a resumed reading does, gives the same answers', async () => {
  const keys = ownKeys();
  const rows: Array<[number, string]> = [
    [1, 'A'],
    [2, 'A'],
    [3, 'B'],
  ];
  const first = await claim(keys, 'r1', ...rows);
  expect(await claim(keys, 'r1', ...rows)).toEqual(first);
});

test('a key that another run holds names that run and row', async () => {
  const keys = ownKeys();
  await claim(keys, 'r1', [7, 'A']);
  expect(await claim(keys, 'r2', [1, 'A'])).toEqual([{ kind: 'held', run: 'r1', row: 7, inDoubt: false }]);
});

test('a key in doubt is not free for another run', async () => {
  const keys = ownKeys();
  await write(keys, 'A', 'd r1 7 ');
  expect(await claim(keys, 'r2', [1, 'A'])).toEqual([{ kind: 'held', run: 'r1', row: 7, inDoubt: true }]);
});

test('a created key is known with its identifier, and a second row with it is a duplicate', async () => {
  const keys = ownKeys();
  await write(keys, 'A', 'k r1 7 id with spaces');
  expect(await claim(keys, 'r2', [1, 'A'], [2, 'A'])).toEqual([
    { kind: 'known', run: 'r1', id: 'id with spaces' },
    { kind: 'duplicate', row: 1 },
  ]);
  expect(await claim(keys, 'r3', [9, 'A'])).toEqual([{ kind: 'known', run: 'r1', id: 'id with spaces' }]);
});

test('a key that was given back is free for another run, and still a duplicate within its own', async () => {
  const keys = ownKeys();
  await write(keys, 'A', 'x r1 7 ');
  expect(await claim(keys, 'r1', [8, 'A'])).toEqual([{ kind: 'duplicate', row: 7 }]);
  expect(await claim(keys, 'r2', [1, 'A'])).toEqual([{ kind: 'claimed' }]);
});

test('keys of the subclient and the counterparty ledger are apart', async () => {
  const keys = ownKeys();
  await claim(keys, 'r1', [1, 'A']);
  expect(
    await claimKeys(own().redis, keys, {
      run: 'r2',
      space: { name: 'counterparty', ofRun: false },
      rows: [{ row: 1, key: 'A' }],
    }),
  ).toEqual([{ kind: 'claimed' }]);
});
