import { expect, test } from 'vitest';
import {
  type AccountsOfRow,
  claimAccounts,
  forgetAccounts,
  knowAccounts,
  lookUpAccounts,
  shareAccounts,
} from '../../../src/engine/ledger/account-index.ts';
import { intentsText } from '../../../src/engine/ledger/intent.ts';
import { claimKeys } from '../../../src/engine/ledger/key-claims.ts';
import { resolveRows } from '../../../src/engine/ledger/resolve.ts';
import type { SettledRow } from '../../../src/engine/ledger/settle-entry.ts';
import { decodeLine, encodeLine } from '../../../src/engine/recovery/journal/record.ts';
import { createReplay } from '../../../src/engine/recovery/replay.ts';
import { ACCOUNT_DIGEST, type AccountClaim, claimWith, MOST_HOLDERS } from '../../../src/model/identity.ts';
import type { Outcome } from '../../../src/model/outcome.ts';
import { grantOf, intentOn, runningRun, settleEntries } from '../../support/ledger.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { settledRow } from '../../support/settled-row.ts';

const own = useOwnRedis();
const SPACE = 'counterparty';
const MARK = 'i me.1 1.1';
const IDENTITY = { space: SPACE, key: 'K1', accounts: [digestOf('A', 'acme')] };
const NOWHERE = () => new Set<string>();

/** As `accountDigests` makes them: an account, and a name after it. */
function digestOf(account: string, name: string): string {
  return account.padEnd(ACCOUNT_DIGEST, '-') + name.padEnd(6, '-');
}

type Bench = Awaited<ReturnType<typeof runningRun>>;

const startBench = () => runningRun(own().redis, { rows: 3 });
const indexOf = ({ keys }: Pick<Bench, 'keys'>) => ({ redis: own().redis, keys, space: SPACE });

/** Rows of `account/name`, several with spaces between. */
function rowsOf(texts: readonly string[]): AccountsOfRow[] {
  return texts.map((text, i) => ({
    row: i + 1,
    digests: text.split(' ').map((one) => {
      const [account = '', name = ''] = one.split('/');
      return digestOf(account, name);
    }),
  }));
}

/** What each row met: `own`, or whose the account is and whether under the row's name. */
async function claimed(bench: Bench, run: string, ...texts: readonly string[]): Promise<string[]> {
  const rows = rowsOf(texts);
  const claims = await claimAccounts(bench.epoch, indexOf(bench), { run, comesFrom: NOWHERE, rows });
  return rows.map(({ row }) => wordOf(claims.get(row)));
}

async function seen(bench: Bench, ...texts: readonly string[]): Promise<string[]> {
  const rows = rowsOf(texts);
  const found = await lookUpAccounts(indexOf(bench), { run: null, comesFrom: NOWHERE, rows });
  return rows.map(({ row }) => wordOf(claimWith(found.get(row) ?? [])));
}

function wordOf({ other }: AccountClaim = { named: [] }): string {
  if (other === undefined) return 'own';
  return `${other.run ?? 'file'} ${other.row} ${other.isSameName ? 'same' : 'another'}`;
}

const ended = (outcome: Outcome, over: Partial<SettledRow> = {}) =>
  settledRow(1, outcome, {
    mark: MARK,
    identity: IDENTITY,
    ...over,
  });

/** Row 1 has its key and the account A of the name acme, and is about to be sent. */
async function going(bench: Bench): Promise<void> {
  const space = { name: SPACE, ofRun: false };
  await claimKeys(bench.epoch, bench.keys, { run: bench.id, space, rows: [{ row: 1, key: 'K1' }] });
  await claimed(bench, bench.id, 'A/acme');
  await grantOf(bench.ledger, intentOn(1, MARK, { identity: IDENTITY }));
}

test('rows claim in file order, claiming again answers the same, and a name that differs is told', async () => {
  const bench = await startBench();
  const rows = ['A/acme', 'A/acme B/acme', 'A/bay', 'B/bay', 'A/acme B/bay'];
  const answers = ['own', 'file 1 same', 'file 1 another', 'file 2 another', 'file 1 same'];
  expect(await claimed(bench, 'run-a', ...rows)).toEqual(answers);
  expect(await claimed(bench, 'run-a', ...rows)).toEqual(answers);
});

test('two runs at once: whoever claims first has the account, and the other is told whose it is', async () => {
  const bench = await startBench();
  const [a, b] = await Promise.all([claimed(bench, 'run-a', 'A/acme'), claimed(bench, 'run-b', 'A/bay')]);
  expect([a, b]).toEqual([['own'], ['run-a 1 another']]);
});

test.each<[Outcome, string]>([
  ['drafted', 'ID 1 another'],
  ['rejected', 'own'],
  ['invalid', 'own'],
  ['cancelled', 'own'],
  ['in-doubt', 'ID 1 another'],
])('a row that ends %s has its account or gives it back, as its key', async (outcome, then) => {
  const bench = await startBench();
  await going(bench);
  await bench.ledger.settle(ended(outcome));
  const expected = then.replace('ID', bench.id);
  expect(await seen(bench, 'A/bay')).toEqual([expected]);
  expect(await claimed(bench, 'run-later', 'A/bay')).toEqual([expected]);
});

test('a kill between claim and outcome leaves the account with the row', async () => {
  const bench = await startBench();
  await going(bench);
  expect(await claimed(bench, 'run-later', 'A/bay')).toEqual([`${bench.id} 1 another`]);
});

test.each([
  [{ kind: 'created', id: 'p-1' } as const, 'ID 1 same'],
  [{ kind: 'not-created' } as const, 'own'],
])('whoever settles a doubt settles whose the account is: %o', async (decision, then) => {
  const bench = await startBench();
  await going(bench);
  await bench.ledger.settle(ended('in-doubt', { accounts: [digestOf('A', 'acme')] }));
  const run = await bench.store.get(bench.id);
  if (run === null) throw new Error('no run');
  await resolveRows(own().redis, bench.keys, {
    ...{ run: { ...run, operation: 'counterparty.draft' }, by: 'me', at: new Date() },
    decisions: [{ row: 1, decision }],
  });
  expect(await claimed(bench, 'run-later', 'A/acme')).toEqual([then.replace('ID', bench.id)]);
});

test('the journals put accounts back with the keys, of rows that ended together, too', async () => {
  const bench = await startBench();
  await createReplay(own().redis, bench.keys).settled(
    bench.id,
    settleEntries(bench.keys, [ended('drafted')]),
  );
  expect(await seen(bench, 'A/acme', 'A/bay')).toEqual([`${bench.id} 1 same`, `${bench.id} 1 another`]);
});

test('a row that was sent has the account, whatever became of the one before it', async () => {
  const bench = await startBench();
  await going(bench);
  await claimed(bench, 'run-b', 'A/bay');
  await bench.ledger.settle(ended('rejected'));
  expect(await claimed(bench, 'run-c', 'A/acme', 'A/bay')).toEqual(['run-b 1 another', 'run-b 1 same']);
});

test('of two rows with another’s account the first makes the second no better', async () => {
  const bench = await startBench();
  await claimed(bench, 'run-a', 'A/acme');
  expect(await claimed(bench, 'run-b', 'A/eve', 'A/eve')).toEqual(['run-a 1 another', 'run-a 1 another']);
});

test('of a row’s own run also what gave the account back counts, and nothing below it', async () => {
  const bench = await startBench();
  await going(bench);
  await bench.ledger.settle(ended('rejected'));
  const rows = ['A/acme', 'A/bay'];
  expect(await claimed(bench, bench.id, ...rows)).toEqual(['own', 'file 1 another']);
  expect(await claimed(bench, bench.id, ...rows)).toEqual(['own', 'file 1 another']);
});

test.each<[Outcome, string, string]>([
  ['drafted', 'A/acme', 'ID 1 same'],
  ['rejected', 'A/copper', 'run-b 1 another'],
])('a file that is read again leaves an account that its row %s as it is', async (outcome, asked, then) => {
  const bench = await startBench();
  await going(bench);
  await claimed(bench, 'run-b', 'A/bay');
  await bench.ledger.settle(ended(outcome));
  await claimed(bench, bench.id, 'A/acme');
  expect(await claimed(bench, 'run-c', asked)).toEqual([then.replace('ID', bench.id)]);
});

test('the rows of an earlier run that a row comes from are of its delivery', async () => {
  const bench = await startBench();
  await claimed(bench, 'run-a', 'A/acme', 'B/acme');
  const rows = rowsOf(['A/bay', 'B/bay']);
  const comesFrom = (row: number) => new Set(row === 1 ? ['run-a'] : []);
  const claims = await claimAccounts(bench.epoch, indexOf(bench), { run: 'run-b', comesFrom, rows });
  expect([1, 2].map((row) => claims.get(row)?.other?.isOfDelivery)).toEqual([true, false]);
});

test('so many names of an account are kept, and the others are told of those', async () => {
  const bench = await startBench();
  const names = Array.from({ length: MOST_HOLDERS + 5 }, (_, i) => `A/n${i}`);
  await claimed(bench, 'run-a', ...names);
  expect(await claimed(bench, 'run-b', 'A/n1', `A/n${MOST_HOLDERS + 1}`)).toEqual([
    'run-a 1 another',
    'run-a 1 another',
  ]);
});

test('the journals put the accounts of rows in flight back', async () => {
  const bench = await startBench();
  const range = {
    chunk: 1,
    fencingToken: 'me.1',
    seen: '',
    from: 0,
    repeatable: false,
    claimed: '',
    outOfOrder: [],
  };
  const ranges = [{ ...range, rows: [{ row: 1, identity: IDENTITY }] }];
  const single = intentOn(2, 'i me.2 2.1', {
    identity: { ...IDENTITY, key: 'K2', accounts: [digestOf('B', 'bay')] },
  });
  const next = intentsText(ranges, [single], bench.keys);
  const line = decodeLine(encodeLine({ kind: 'intended', run: bench.id, next }).trimEnd());
  if (line?.kind !== 'intended') throw new Error('the journal can not be read back');
  await createReplay(own().redis, bench.keys).intended(bench.id, line.rows);
  expect(await seen(bench, 'A/x', 'B/x')).toEqual([`${bench.id} 1 another`, `${bench.id} 2 another`]);
});

test('an account that several payees may have stands in nobody’s way, until that is taken back', async () => {
  const bench = await startBench();
  await claimed(bench, 'run-a', 'A/acme', 'B/acme');
  const sharing = { run: bench.id, rows: [1], reason: 'asked', at: '2026-11-29T10:00:00Z' };
  const share = (areShared: boolean) =>
    shareAccounts(indexOf(bench), [digestOf('A', 'bay')], { ...sharing, areShared });
  expect([await share(true), await share(true)]).toEqual([1, 0]);
  const rows = ['A/bay', 'A/acme', 'A/copper', 'B/bay'];
  expect(await claimed(bench, 'run-b', ...rows)).toEqual(['own', 'run-a 1 same', 'own', 'run-a 2 another']);
  expect([await share(false), await share(false)]).toEqual([1, 0]);
  expect(await claimed(bench, 'run-c', 'A/dale')).toEqual(['run-a 1 another']);
});

test('what a person knows of a row is in the index', async () => {
  const bench = await startBench();
  await claimed(bench, 'run-a', 'A/acme');
  for (const row of rowsOf(['A/bay B/bay'])) await knowAccounts(indexOf(bench), 'run-b', row);
  expect(await seen(bench, 'A/copper', 'B/copper')).toEqual(['run-a 1 another', 'run-b 1 another']);
});

test('a purge takes out what the run had put there, and nothing of others', async () => {
  const bench = await startBench();
  await claimed(bench, 'run-a', 'A/acme', 'B/bay');
  await claimed(bench, 'run-b', 'A/acme', 'C/copper');
  await forgetAccounts(indexOf(bench), 'run-a');
  expect(await seen(bench, 'A/x', 'B/x', 'C/x')).toEqual(['run-b 1 another', 'own', 'run-b 2 another']);
});
