import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { LedgerEpoch } from '../../src/ledger/epoch.ts';
import { claimKeys, readAlike, readKeys } from '../../src/ledger/key-claims.ts';
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

/** What the rows' keys look like in the ledger, as `lookalike of r1 7`. */
async function alikeOf({ epoch, keys }: Ledger, run: string, names: readonly string[]) {
  const rows = names.map((key, i) => ({ row: i + 1, key }));
  const space = { name: 'subclient', ofRun: false };
  const claimed = await claimKeys(epoch, keys, { run, space, rows, alike: { withCase: true } });
  return claimed.claims.map(({ kind }, i) => {
    const like = claimed.alike.get(i);
    return like === undefined ? kind : `${like.code} of ${like.run} ${like.row}`;
  });
}

describe('of keys that look like those of other runs', () => {
  test.each<[string, string, string, string]>([
    ['a space more', 'A1', 'A1 ', 'key_lookalike of r1 1'],
    ['a space less', 'A1 ', 'A1', 'key_lookalike of r1 1'],
    ['another space', ' A1', 'A1\u00a0', 'key_lookalike of r1 1'],
    ['small letters', 'A1', 'a1', 'key_case of r1 1'],
    ['capital letters', 'a1', 'A1', 'key_case of r1 1'],
    ['mixed letters', 'ab', 'aB', 'key_case of r1 1'],
    ['small letters and a space', 'A1', 'a1 ', 'key_case of r1 1'],
    ['the other way round', 'A1 ', 'a1', 'key_case of r1 1'],
    ['another key', 'A1', 'A2', 'claimed'],
    ['the same key', 'A1', 'A1', 'held'],
  ])('%s: after %j, %j', async (_, before, after, said) => {
    const ledger = await ownLedger();
    expect(await alikeOf(ledger, 'r1', [before])).toEqual(['claimed']);
    expect(await alikeOf(ledger, 'r2', [after])).toEqual([said]);
    // As a resumed reading asks, and after the row was not sent.
    expect(await alikeOf(ledger, 'r2', [after])).toEqual([said]);
    await write(ledger, after, 'x r2 1 ');
    expect(await alikeOf(ledger, 'r3', [after])).toEqual([said.replace('held', 'claimed')]);
  });

  test('what was not created stands in nobody’s way, and its place is taken', async () => {
    const ledger = await ownLedger();
    await alikeOf(ledger, 'r1', ['A1 ']);
    await write(ledger, 'A1 ', 'x r1 1 ');
    expect(await alikeOf(ledger, 'r2', ['\tA1'])).toEqual(['claimed']);
    expect(await alikeOf(ledger, 'r3', ['A1'])).toEqual(['key_lookalike of r2 1']);
  });

  test('those of the own run are not counted: the reading of the file finds them', async () => {
    const ledger = await ownLedger();
    expect(await alikeOf(ledger, 'r1', ['A1', 'A1 ', 'a1', ' A1'])).toEqual(Array(4).fill('claimed'));
  });

  test('a key that was left word of is free for those who look it up', async () => {
    const ledger = await ownLedger();
    await alikeOf(ledger, 'r1', ['A1 ']);
    const asked = { run: 'r2', space: 'subclient', names: ['A1', 'A1 ', 'a1', 'B'] };
    expect((await readKeys(own().redis, ledger.keys, 'subclient', ['A1'])).get('A1')).toEqual({
      kind: 'free',
    });
    const like = { code: 'key_lookalike', run: 'r1', row: 1 };
    expect(await readAlike(own().redis, ledger.keys, asked)).toEqual(
      new Map([
        ['A1', like],
        ['A1 ', like],
        ['a1', { ...like, code: 'key_case' }],
      ]),
    );
  });
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
