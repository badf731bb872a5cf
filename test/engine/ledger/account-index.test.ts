import { expect, test } from 'vitest';
import {
  type AccountsOfRow,
  claimAccounts,
  forgetAccounts,
  knowAccounts,
  lookUpAccounts,
  shareAccounts,
} from '../../../src/engine/ledger/account-index.ts';
import { claimKeys } from '../../../src/engine/ledger/key-claims.ts';
import { resolveRows } from '../../../src/engine/ledger/resolve.ts';
import type { SettledRow } from '../../../src/engine/ledger/settle-entry.ts';
import { createReplay } from '../../../src/engine/recovery/replay.ts';
import type { AccountClaim } from '../../../src/model/identity.ts';
import type { Outcome } from '../../../src/model/outcome.ts';
import { grantOf, intentOn, runningRun, settleEntries } from '../../support/ledger.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { settledRow } from '../../support/settled-row.ts';

const own = useOwnRedis();
const SPACE = 'counterparty';
const MARK = 'i me.1 1.1';

/** As `accountDigests` makes them: an account, and a name after it. */
function digestOf(account: string, name: string): string {
  return account.padEnd(16, '-') + name.padEnd(6, '-');
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
  const claims = await claimAccounts(bench.epoch, indexOf(bench), { run, kin: new Set([run]), rows });
  return rows.map(({ row }) => wordOf(claims.get(row)));
}

async function seen(bench: Bench, ...texts: readonly string[]): Promise<string[]> {
  const rows = rowsOf(texts);
  const found = await lookUpAccounts(indexOf(bench), { run: null, kin: new Set(), rows });
  return rows.map(({ row }) => wordOf(found.get(row)));
}

function wordOf({ other }: AccountClaim = { own: [] }): string {
  if (other === undefined) return 'own';
  return `${other.run ?? 'file'} ${other.row} ${other.isSameName ? 'same' : 'another'}`;
}

const ended = (outcome: Outcome, over: Partial<SettledRow> = {}) =>
  settledRow(1, outcome, {
    mark: MARK,
    identity: { space: SPACE, key: 'K1' },
    ownAccounts: [digestOf('A', 'acme')],
    ...over,
  });

/** Row 1 has its key and the account A of the name acme, and is about to be sent. */
async function going(bench: Bench): Promise<void> {
  const space = { name: SPACE, ofRun: false };
  await claimKeys(bench.epoch, bench.keys, { run: bench.id, space, rows: [{ row: 1, key: 'K1' }] });
  await claimed(bench, bench.id, 'A/acme');
  await grantOf(bench.ledger, intentOn(1, MARK, { identity: { space: SPACE, key: 'K1' } }));
}

test('rows claim in file order, claiming again answers the same, and a name that differs is told', async () => {
  const bench = await startBench();
  const rows = ['A/acme', 'A/acme B/acme', 'A/bay', 'B/bay', 'A/acme B/bay'];
  const answers = ['own', 'file 1 same', 'file 1 another', 'file 2 another', 'file 2 another'];
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

test('an account that several payees may have stands in nobody’s way, until that is taken back', async () => {
  const bench = await startBench();
  await claimed(bench, 'run-a', 'A/acme');
  const sharing = { run: bench.id, rows: [1], reason: 'asked', at: '2026-11-29T10:00:00Z' };
  await shareAccounts(indexOf(bench), [digestOf('A', 'bay')], { ...sharing, areShared: true });
  expect(await claimed(bench, 'run-b', 'A/bay', 'A/acme', 'A/copper')).toEqual([
    'own',
    'run-a 1 same',
    'own',
  ]);
  await shareAccounts(indexOf(bench), [digestOf('A', 'bay')], { ...sharing, areShared: false });
  expect(await claimed(bench, 'run-c', 'A/bay')).toEqual(['run-a 1 another']);
});

test('what a person knows of a row is in the index, but for what another row has', async () => {
  const bench = await startBench();
  await claimed(bench, 'run-a', 'A/acme');
  await knowAccounts(indexOf(bench), 'run-b', rowsOf(['A/bay B/bay']));
  expect(await seen(bench, 'A/copper', 'B/copper')).toEqual(['run-a 1 another', 'run-b 1 another']);
});

test('a purge takes out what the run had put there, and nothing of others', async () => {
  const bench = await startBench();
  await claimed(bench, 'run-a', 'A/acme', 'B/bay');
  await claimed(bench, 'run-b', 'A/acme', 'C/copper');
  await forgetAccounts(indexOf(bench), 'run-a');
  expect(await seen(bench, 'A/x', 'B/x', 'C/x')).toEqual(['own', 'own', 'run-b 2 another']);
});
