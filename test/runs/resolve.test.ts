import { expect, onTestFinished, test } from 'vitest';
import { jobDefinitionSchema } from '../../src/config/job-definition.ts';
import type { RowDecision } from '../../src/engine/ledger/resolve.ts';
import { chunksWith } from '../../src/engine/ledger/run-view.ts';
import type { Settlement } from '../../src/model/settlement.ts';
import { readHeld, withMembers } from '../../src/runs/decisions.ts';
import { resolveRun } from '../../src/runs/resolve.ts';
import { seedRun } from '../support/doubts.ts';
import { useOwnRedis } from '../support/redis.ts';
import { newRun } from '../support/runs.ts';
import { openTestSession } from '../support/session.ts';
import { doubtOf } from '../support/settled-row.ts';
import { setOfRun } from '../support/stored.ts';

const own = useOwnRedis();

const created = (row: number, id: string): RowDecision => ({ row, decision: { kind: 'created', id } });
const notCreated = (row: number): RowDecision => ({ row, decision: { kind: 'not-created' } });

/** Rows from 1 on, in chunks of two. */
async function* chunksOf(rows: readonly Settlement[]) {
  for (let at = 0; at < rows.length; at += 2)
    yield { chunk: at / 2 + 1, closedAt: null, settlements: rows.slice(at, at + 2) };
}

async function extend(rows: readonly Settlement[], ...decisions: readonly RowDecision[]) {
  const named = new Set(decisions.map(({ row }) => row));
  const { groups } = await readHeld(chunksOf(rows), { rows: named, ids: new Set(), isGrouped: true });
  return withMembers(groups, decisions);
}

const doubts = (...keys: readonly string[]) => keys.map((key, i) => doubtOf(i + 1, { key }));

test('a decision is that of every row in doubt of its key that stands beside it', async () => {
  const rows = doubts('a', 'b', 'b', 'b', 'c', 'b');
  const three = [2, 3, 4].map((row) => created(row, 'x'));
  expect(await extend(rows, created(3, 'x'))).toEqual({ decisions: three, members: [2, 4] });
  const apart = { decisions: [notCreated(1), created(6, 'y')], members: [] };
  expect(await extend(rows, created(6, 'y'), notCreated(1))).toEqual(apart);
});

test('rows without a key are never one record', async () => {
  const alone = { decisions: [created(2, 'x')], members: [] };
  expect(await extend(doubts('', '', ''), created(2, 'x'))).toEqual(alone);
});

test('of an id three holders are named at most, rows of one key counting as one, with the keys of the rows asked for', async () => {
  const held = (row: number, key: string) => doubtOf(row, { key, outcome: 'created', id: 'x' });
  const rows = [held(1, 'a'), held(2, 'a'), held(3, ''), held(4, ''), held(5, 'b')];
  const asked = { rows: new Set([2, 9]), ids: new Set(['x', 'y']), isGrouped: false };
  const { keys, holders } = await readHeld(chunksOf(rows), asked);
  expect(keys).toEqual(new Map([[2, 'a']]));
  expect(holders).toEqual(
    new Map([
      [
        'x',
        [
          { row: 1, key: 'a' },
          { row: 3, key: '' },
          { row: 4, key: '' },
        ],
      ],
    ]),
  );
});

test.each([
  [
    'two ids',
    [created(1, 'x'), created(2, 'y')],
    'row 2 is created, id y, and row 1, of the same key, created, id x',
  ],
  ['created and not created', [notCreated(1), created(3, 'y')], 'row 3 is created, id y, and row 1'],
])('%s for rows of one key are refused', async (_, decisions, problem) => {
  await expect(extend(doubts('a', 'a', 'a'), ...decisions)).rejects.toThrow(problem);
});

test.each([
  ['id', { outcome: 'drafted', id: 'x', code: 'resolved' }, created(2, 'y')],
  ['creation', { outcome: 'drafted', id: 'x', code: 'resolved' }, notCreated(2)],
  ['absence', { outcome: 'failed', code: 'not_created' }, created(2, 'y')],
] as const)('another %s than a row of the key was settled with is refused', async (_, settled, decision) => {
  const rows = [doubtOf(1, { key: 'a', ...settled }), doubtOf(2, { key: 'a' })];
  await expect(extend(rows, decision)).rejects.toThrow('row 1 is');
});

test('the decision that a row of the key was settled with before is that of the rest', async () => {
  const rows = [doubtOf(1, { key: 'a', outcome: 'drafted', id: 'x' }), ...doubts('', 'a', 'a').slice(1)];
  expect((await extend(rows, created(1, 'x'))).members).toEqual([2, 3]);
  expect((await extend(rows, created(2, 'x'))).members).toEqual([3]);
});

test('where no row of the key is in doubt any more nothing is added or refused here', async () => {
  const rows = doubts('a', 'a').map((one): Settlement => ({ ...one, outcome: 'drafted', id: 'x' }));
  expect(await extend(rows, created(1, 'y'))).toEqual({ decisions: [created(1, 'y')], members: [] });
});

test.each([
  ['of one size', [1, 100, 101, 250], null, null, [1, 2, 3]],
  ['of several sizes', [1, 41, 250], [40, 200, 250], null, [1, 2, 3]],
  ['of a rerun, whose rows keep their numbers', [7, 901, 8], null, [7, 901], [1]],
  ['none, for rows that the run does not have', [0, 251], null, null, []],
])('the chunks that rows are in are found without reading any: %s', (_, rows, chunkEnds, numbers, chunks) => {
  const run = { rows: numbers?.length ?? 250, chunkRows: 100, chunkEnds };
  expect(chunksWith(new Set(rows), run, numbers)).toEqual(chunks);
});

test.each([
  ['a row that was not created', undefined],
  ['rows of one key, where the job groups them', 'accounts'],
])('%s is resolved by reading its chunk alone', async (_, group) => {
  const session = await openTestSession(own(), onTestFinished);
  const { ledger, service } = session;
  const { keys } = ledger.of(service.target);
  const definition = jobDefinitionSchema.parse({ operation: 'counterparty.draft', key: 'externalId', group });
  const run = await seedRun(ledger.redis, keys, {
    run: newRun({ rows: 6, chunkRows: 2, definition, target: service.target }),
    settlements: [1, 1, 2, 2, 3, 3].map((key, i) => doubtOf(i + 1, { key: `K${key}` })),
    closed: true,
  });
  // Whoever reads these fails.
  await setOfRun(ledger.redis, keys.run(run.id), 'blocks', { 1: 'unreadable', 3: 'unreadable' });
  const resolve = (row: number) => resolveRun(run, { kind: 'rows', rows: [notCreated(row)] }, 'Ann', session);
  expect(await resolve(3)).toMatchObject({ notCreated: group === undefined ? 1 : 2, refused: [] });
  const refused = [{ row: 7, why: expect.stringContaining('the run has no such row') }];
  expect(await resolve(7)).toMatchObject({ refused });
});
