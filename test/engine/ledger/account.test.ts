import { expect, test } from 'vitest';
import { jobDefinitionSchema } from '../../../src/config/job-definition.ts';
import { openAccounts } from '../../../src/engine/ledger/account.ts';
import { settledMark } from '../../../src/engine/ledger/mark.ts';
import { readAll } from '../../../src/engine/ledger/run-view.ts';
import { CLEAR } from '../../../src/lib/seal.ts';
import { OUTCOMES, type Outcome, succeeded } from '../../../src/model/outcome.ts';
import { type Settlement, UNDONE } from '../../../src/model/settlement.ts';
import { seedRun } from '../../support/doubts.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { newRun, ownStore } from '../../support/runs.ts';
import { endedRow } from '../../support/settled-row.ts';
import { addCount, dropOpenRows, setEntry, setOfRun } from '../../support/stored.ts';

const own = useOwnRedis();
const EARLIER = new Date('2026-11-20T10:00:00Z');
const LATER = new Date('2026-11-22T10:00:00Z');

test.each([
  ['closed where a later run made it', 'http_404', LATER, {}, 0],
  ['open where an earlier run made it', 'http_404', EARLIER, {}, 1],
  ['closed where an earlier run made it that the row waited for', 'key_held', EARLIER, {}, 0],
  ['open where another row of its own run made it', 'key_held', null, {}, 1],
  ['open where the rows of its job are grouped', 'http_404', LATER, { group: 'accounts' }, 1],
])('a row whose key has a record is %s', async (_, code, at, over, open) => {
  const { redis, keys } = ownStore(own().redis);
  const job = { operation: 'counterparty.draft', key: 'externalId', ...over };
  const seed = (createdAt: Date) => {
    const run = newRun({ rows: 2, createdAt, definition: jobDefinitionSchema.parse(job) });
    const settlements = [endedRow(1, 'failed', { code }), endedRow(2, 'drafted')];
    return seedRun(redis, keys, { run, settlements, closed: true });
  };
  const run = await seed(new Date('2026-11-21T10:00:00Z'));
  const maker = at === null ? run : await seed(at);
  await setEntry(redis, keys, 'K1', `k ${maker.id} 2 id-2`, { space: 'counterparty' });
  expect((await openAccounts(redis, keys).accountOf(run.id)).open).toBe(open);
});

const UNDONE_ROW = { outcome: 'cancelled', code: UNDONE } as const;

/** A closed run with two rows of each outcome; of some another outcome came later. */
async function seedAll() {
  const { redis, keys } = ownStore(own().redis);
  const settlements = [...OUTCOMES, ...OUTCOMES].map((outcome, i) => endedRow(i + 1, outcome));
  const ofOutcome = (outcome: Outcome) => settlements.find((one) => one.outcome === outcome)?.row ?? 0;
  const given = newRun({ rows: settlements.length, chunkRows: 5 });
  const { id } = await seedRun(redis, keys, { run: given, settlements, closed: true });
  const k = keys.run(id);
  const late = [
    endedRow(ofOutcome('in-doubt'), 'created'),
    endedRow(ofOutcome('adopted'), 'cancelled', UNDONE_ROW),
  ];
  await setOfRun(redis, k, 'late', Object.fromEntries(late.map((one) => [one.row, settledMark(one, CLEAR)])));
  for (const [outcome, by] of [
    ['in-doubt', -1],
    ['created', 1],
    ['adopted', -1],
    ['cancelled', 1],
  ] as const)
    await addCount(redis, k, outcome, by);
  const openOf = async () => {
    const { open, atService, pending } = await openAccounts(redis, keys).standOf(id);
    return {
      open: [...open.values()].map(({ row, outcome, code }) => [row, outcome, code]),
      atService,
      pending,
    };
  };
  return { redis, k, settlements, openOf };
}

test('rows that did not succeed are told as all rows are read, whatever their outcomes', async () => {
  const { redis, k, settlements, openOf } = await seedAll();
  const all: Settlement[] = [];
  for await (const chunk of readAll(redis, k, 5)) all.push(...chunk.settlements);
  expect(all.map(({ row }) => row)).toEqual(settlements.map(({ row }) => row));
  const open = all.filter(({ outcome }) => !succeeded(outcome));
  const told = { open: open.map(({ row, outcome, code }) => [row, outcome, code]), pending: 0 };
  const asTold = { ...told, atService: settlements.length - open.length };
  expect(await openOf()).toEqual(asTold);
  // Without a look at the blocks.
  await setOfRun(redis, k, 'blocks', { 1: 'unreadable', 2: 'unreadable', 3: 'unreadable' });
  expect(await openOf()).toEqual(asTold);
});

test('a run whose open rows are lost in part is not told as if it had fewer', async () => {
  const { redis, k, openOf } = await seedAll();
  await dropOpenRows(redis, k, 2);
  await expect(openOf()).rejects.toThrow('open rows, and 0 are there');
});
