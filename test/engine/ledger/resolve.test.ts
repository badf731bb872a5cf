import { describe, expect, test } from 'vitest';
import { jobDefinitionSchema } from '../../../src/config/job-definition.ts';
import { createChunkLedger } from '../../../src/engine/ledger/chunk-ledger.ts';
import { readStory } from '../../../src/engine/ledger/display.ts';
import type { LedgerKeys } from '../../../src/engine/ledger/keys.ts';
import { noteDoubts, type RowDecision, resolveRows } from '../../../src/engine/ledger/resolve.ts';
import { createRunStore } from '../../../src/engine/ledger/run-store.ts';
import { readDoubts, rowsInDoubt } from '../../../src/engine/ledger/run-view.ts';
import { CLEAR } from '../../../src/lib/seal.ts';
import type { Run } from '../../../src/model/run.ts';
import { messageOf } from '../../../src/model/sentence.ts';
import { seedRun } from '../../support/doubts.ts';
import { memoryJournal, openTestEpoch } from '../../support/epoch.ts';
import { settlementsOf } from '../../support/ledger.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { newRun, ownKeys } from '../../support/runs.ts';
import { doubtOf, settledRow } from '../../support/settled-row.ts';
import { entryOf, getEntry, lose, setEntry } from '../../support/stored.ts';

const own = useOwnRedis();
const AT = new Date('2026-11-21T12:00:00Z');
const created = (row: number, id = `sub-${row}`): RowDecision => ({ row, decision: { kind: 'created', id } });
const notCreated = (row: number): RowDecision => ({ row, decision: { kind: 'not-created' } });

type Bench = { readonly keys: LedgerKeys; readonly run: Run };

async function bench(given: Partial<Parameters<typeof seedRun>[2]> = {}): Promise<Bench> {
  const keys = ownKeys();
  const settlements = given.settlements ?? [doubtOf(1), doubtOf(2), doubtOf(3)];
  const run = await seedRun(own().redis, keys, { run: newRun(), closed: true, ...given, settlements });
  return { keys, run };
}

const decide = ({ keys, run }: Bench, decisions: readonly RowDecision[], over = {}) =>
  resolveRows(own().redis, keys, { run, by: 'ann@desk', at: AT, decisions, ...over });

async function state({ keys, run }: Bench) {
  const { redis } = own();
  const settlements = await settlementsOf(redis, keys, run);
  const now = await createRunStore(redis, keys, () => AT).get(run.id);
  const k = keys.run(run.id);
  return {
    settlements,
    outcomes: now?.outcomes,
    doubts: await rowsInDoubt(redis, k),
    sources: (await redis.hkeys(k.sources)).map(Number).sort(),
    resolutions: await redis.hgetall(k.resolutions),
  };
}

const identity = ({ keys }: Bench, key: string, space = 'subclient') =>
  getEntry(own().redis, keys, key, { space });

describe.each([
  ['closed', true],
  ['open', false],
] as const)('a row in doubt of a chunk that is %s', (_, closed) => {
  test('is created by decision: outcome, counters, key and who decided', async () => {
    const one = await bench({ closed });
    expect(await decide(one, [created(2)])).toEqual([{ row: 2, kind: 'resolved' }]);
    const story = await readStory(own().redis, one.keys, one.run.id);
    expect(story.at(-1)).toEqual({
      at: AT.getTime(),
      what: 'resolved',
      why: '1 row',
      by: one.keys.actor.name,
    });
    const after = await state(one);
    const end = { outcome: 'created', id: 'sub-2', code: 'resolved' } as const;
    const settlement = after.settlements[1] ?? doubtOf(0);
    expect(settlement).toMatchObject({ ...doubtOf(2), ...end, message: expect.any(String), values: {} });
    expect(messageOf(settlement)).toBe('resolved as created by ann@desk at 2026-11-21T12:00:00.000Z');
    expect(after).toMatchObject({ outcomes: { created: 1, 'in-doubt': 2 }, doubts: [1, 3], sources: [1, 3] });
    const decided = {
      decision: 'created',
      id: 'sub-2',
      by: 'ann@desk',
      at: AT.toISOString(),
      was: 'timeout',
    };
    expect(JSON.parse(after.resolutions['2'] ?? '')).toEqual(decided);
    expect(await identity(one, 'K2')).toBe(`k ${one.run.id} 2 sub-2`);
  });

  test('is not created by decision: failed, its key is free, its source stays', async () => {
    const one = await bench({ closed });
    await decide(one, [notCreated(2)]);
    const after = await state(one);
    expect(after.settlements[1]).toMatchObject({
      outcome: 'failed',
      id: '',
      code: 'not_created',
      attempts: 1,
    });
    expect(after).toMatchObject({
      outcomes: { failed: 1, 'in-doubt': 2 },
      doubts: [1, 3],
      sources: [1, 2, 3],
    });
    expect(await identity(one, 'K2')).toBe(`x ${one.run.id} 2 `);
  });

  test('stays in doubt, and says more, where it is only noted', async () => {
    const one = await bench({ closed });
    const note = doubtOf(2, { code: 'found_twice', message: 'found 2 times' });
    await noteDoubts(own().redis, one.keys, {
      run: one.run,
      notes: [{ note, sighting: { kind: 'not-found', ids: [], at: '' } }],
    });
    const after = await state(one);
    expect(after.settlements[1]).toEqual(note);
    expect(after).toMatchObject({ outcomes: { 'in-doubt': 3 }, doubts: [1, 2, 3], resolutions: {} });
    expect([...(await readDoubts(own().redis, one.keys.run(one.run.id), [2])).values()]).toEqual([note]);
    await decide(one, [created(2)]);
    expect((await state(one)).settlements[1]).toMatchObject({ outcome: 'created', id: 'sub-2' });
  });
});

describe('deciding again', () => {
  test('the same: unchanged, and nothing moves', async () => {
    const one = await bench();
    await decide(one, [created(1), notCreated(2)]);
    const before = await state(one);
    const later = { by: 'bob@desk', at: new Date('2026-11-22T00:00:00Z') };
    expect(await decide(one, [created(1), notCreated(2)], later)).toEqual([
      { row: 1, kind: 'unchanged' },
      { row: 2, kind: 'unchanged' },
    ]);
    expect(await state(one)).toEqual(before);
  });

  test.each([
    ['another id', created(1, 'other')],
    ['not created', notCreated(1)],
  ])('otherwise (%s): refused with what was decided, and nothing moves', async (_, other) => {
    const one = await bench();
    await decide(one, [created(1)]);
    const before = await state(one);
    const earlier = {
      decision: 'created',
      id: 'sub-1',
      by: 'ann@desk',
      at: AT.toISOString(),
      was: 'timeout',
    };
    expect(await decide(one, [other])).toEqual([{ row: 1, kind: 'otherwise', earlier }]);
    expect(await state(one)).toEqual(before);
  });
});

test('a row that is not in doubt, or not there, is left as it is', async () => {
  const one = await bench({ settlements: [doubtOf(1, { outcome: 'created', id: 'sub-1' })] });
  const before = await state(one);
  expect(await decide(one, [notCreated(1), created(99)])).toEqual([
    { row: 1, kind: 'not-in-doubt' },
    { row: 99, kind: 'not-in-doubt' },
  ]);
  expect(await state(one)).toEqual(before);
});

test('a row without a key gives its permit in the file back', async () => {
  const one = await bench({ settlements: [doubtOf(1, { key: '' })] });
  await decide(one, [notCreated(1)]);
  expect(await identity(one, `${one.run.sha256}:1`)).toBe(`x ${one.run.id} 1 `);
});

test('a key that is another run’s by now stays that run’s', async () => {
  const one = await bench();
  await setEntry(own().redis, one.keys, 'K1', 'k run-other 5 sub-9');
  await decide(one, [created(1)]);
  expect(await identity(one, 'K1')).toBe('k run-other 5 sub-9');
});

test('a key of a job with keyForm: exact is settled where its own text is', async () => {
  const one = await bench({ settlements: [doubtOf(1, { key: 'A1' })] });
  const exact = { form: 'exact' } as const;
  await lose(own().redis, entryOf(one.keys, 'A1').bucket);
  await setEntry(own().redis, one.keys, 'A1', `d ${one.run.id} 1 `, exact);
  await decide(one, [created(1)]);
  expect(await getEntry(own().redis, one.keys, 'A1', exact)).toBe(`k ${one.run.id} 1 sub-1`);
  expect(await identity(one, 'A1')).toBeNull();
});

test('a counterparty is drafted', async () => {
  const definition = jobDefinitionSchema.parse({ operation: 'counterparty.draft', key: 'externalId' });
  const one = await bench({ run: newRun({ definition }) });
  await decide(one, [created(1, 'cp-1')]);
  expect((await state(one)).outcomes).toMatchObject({ drafted: 1, created: 0 });
  expect(await identity(one, 'K1', 'counterparty')).toBe(`k ${one.run.id} 1 cp-1`);
});

test('ids and names of any script are kept as they are', async () => {
  const one = await bench();
  const id = `ü "quoted" \\ ${'日本'} 'x' %s`;
  await decide(one, [created(1, id)], { by: 'Zoë "z"' });
  const after = await state(one);
  expect(after.settlements[0]?.id).toBe(id);
  expect(await identity(one, 'K1')).toBe(`k ${one.run.id} 1 ${id}`);
  expect(await decide(one, [created(1, id)])).toEqual([{ row: 1, kind: 'unchanged' }]);
});

test('rows of one key that are resolved together leave the key to the first of them', async () => {
  const doubts = [1, 2, 3].map((row) => doubtOf(row, { key: 'A' }));
  const given = await bench({ settlements: doubts });
  await decide(given, [created(1, 'x'), created(2, 'x'), created(3, 'x')]);
  expect(await identity(given, 'A')).toBe(`k ${given.run.id} 1 x`);
  const other = await bench({ settlements: doubts });
  await decide(other, [notCreated(1), notCreated(2), notCreated(3)]);
  expect(await identity(other, 'A')).toBe(`x ${other.run.id} 1 `);
});

test('more rows than a batch takes are resolved, each as decided', async () => {
  const rows = Array.from({ length: 450 }, (_, i) => i + 1);
  const one = await bench({ run: newRun({ rows: 450 }), settlements: rows.map((row) => doubtOf(row)) });
  const decisions = rows.map((row) => (row % 3 === 0 ? notCreated(row) : created(row)));
  const answers = await decide(one, decisions.reverse());
  expect(answers.every(({ kind }) => kind === 'resolved')).toBe(true);
  const after = await state(one);
  expect(after).toMatchObject({ outcomes: { created: 300, failed: 150, 'in-doubt': 0 }, doubts: [] });
  expect(after.settlements.every(({ row, id }) => id === (row % 3 === 0 ? '' : `sub-${row}`))).toBe(true);
});

test.each([
  ['in a closed chunk', { closed: true, closesThen: false }],
  ['in an open chunk', { closed: false, closesThen: false }],
  ['in an open chunk that is closed then', { closed: false, closesThen: true }],
])(
  'what the service says late that it has made replaces a decision %s that it was not, which is remembered',
  async (_, given) => {
    const one = await bench({ closed: given.closed });
    await decide(one, [notCreated(2)]);
    const epoch = await openTestEpoch(own().redis, one.keys);
    const options = {
      keys: one.keys,
      journal: memoryJournal(),
      run: one.run,
      seal: CLEAR,
      probeMs: 1_000,
      now: () => AT,
    };
    const ledger = createChunkLedger({ verified: epoch, ...options });
    if (given.closesThen) expect(await ledger.close(1, 3)).toBe(true);
    expect(await ledger.settle(settledRow(2, 'created', { id: 'sub-2', mark: 'i me.1 1.2' }))).toBe(true);
    const after = await state(one);
    expect(after.outcomes).toMatchObject({ created: 1, failed: 0, 'in-doubt': 2 });
    expect(after.settlements[1]).toMatchObject({ outcome: 'created', id: 'sub-2' });
    expect(Object.keys(after.resolutions)).toEqual(['2 overruled']);
  },
);
