import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keepWriteOff, openAccounts } from '../../../src/engine/ledger/account.ts';
import { readStory } from '../../../src/engine/ledger/display.ts';
import { createRerunStore, createRunInput, unsuccessfulRows } from '../../../src/engine/ledger/reruns.ts';
import { packRowNumbers } from '../../../src/engine/ledger/row-numbers.ts';
import { createReplay, restorableFields } from '../../../src/engine/recovery/replay.ts';
import { UsageError } from '../../../src/lib/usage-error.ts';
import type { RightCell } from '../../../src/model/issue.ts';
import { OUTCOMES, type Outcome } from '../../../src/model/outcome.ts';
import type { CellsRow } from '../../../src/model/row.ts';
import type { LedgerView } from '../../../src/model/settlement.ts';
import { cells, makeView, settled } from '../../runs/report/make-report.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { newRun, ownStore } from '../../support/runs.ts';
import { expire, lose, setRecord } from '../../support/stored.ts';

const own = useOwnRedis();

/** A parent in a ledger of its own. */
function ownFamily() {
  const { redis, keys, store } = ownStore(own().redis);
  const parent = `run-${randomBytes(4).toString('hex')}`;
  const reruns = createRerunStore(redis, keys, parent);
  const inputOf = (id: string) => createRunInput(redis, keys, id);
  const taken = async () => {
    const takers = await openAccounts(redis, keys).takersOf(parent);
    return [takers.map(({ id }) => id), await store.latestTaker()];
  };
  return { redis, keys, store, parent, reruns, inputOf, taken };
}

const row = (n: number): CellsRow => ({
  kind: 'cells',
  row: n,
  line: n + 1,
  cells: [`K${n}`, 'Zoë "1"\r\n'],
});

async function allOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('a rerun', () => {
  test('is there whole once it is registered: its parent, its rows, its place among the runs', async () => {
    const { redis, keys, store, parent, reruns, inputOf, taken } = ownFamily();
    const run = newRun({ rows: 3, chunkRows: 2 });
    const input = inputOf(run.id);
    await input.write(1, [row(2), row(7)]);
    await input.write(2, [row(301)]);
    expect(await reruns.register(run, { latest: '', rows: [1] })).toBe(true);
    const read = await store.get(run.id);
    expect(read).toMatchObject({ parent, rows: 3, state: 'queued', sha256: run.facts.sha256 });
    expect(await taken()).toEqual([[run.id], run.id]);
    expect(await store.list(5)).toHaveLength(1);
    const story = await readStory(redis, keys, parent);
    const by = keys.actor.name;
    expect(story).toEqual([{ at: run.createdAt.getTime(), what: 'taken-up', why: run.id, by }]);
    const chunks = await allOf(input.read({ rows: 3, chunkRows: 2, chunkEnds: null }));
    expect(chunks).toEqual([
      { n: 1, rows: [row(2), row(7)] },
      { n: 2, rows: [row(301)] },
    ]);
  });

  test('of a job that groups rows has its chunks where its groups end', async () => {
    const { store, reruns, inputOf } = ownFamily();
    const plain = newRun({ rows: 4, chunkRows: 2 });
    const run = { ...plain, facts: { ...plain.facts, chunkEnds: [3, 4] } };
    const input = inputOf(run.id);
    await input.write(1, [row(2), row(3), row(4)]);
    await expect(reruns.register(run, { latest: '', rows: [2, 3, 4, 7] })).rejects.toThrow(
      'not all in the ledger',
    );
    await input.write(2, [row(7)]);
    expect(await reruns.register(run, { latest: '', rows: [2, 3, 4, 7] })).toBe(true);
    const read = await store.get(run.id);
    expect(read?.chunkEnds).toEqual([3, 4]);
    const chunks = read === null ? [] : await allOf(input.read(read));
    expect(chunks.map(({ rows }) => rows.map((one) => one.row))).toEqual([[2, 3, 4], [7]]);
  });

  test('of rows that were chosen before another one was registered, or before a write-off, is refused', async () => {
    const { redis, keys, store, parent, reruns, inputOf, taken } = ownFamily();
    const [first, second, third] = [newRun({ rows: 1 }), newRun({ rows: 1 }), newRun({ rows: 1 })];
    for (const { id } of [first, second, third]) await inputOf(id).write(1, [row(1)]);
    const latest = '';
    expect(await reruns.register(first, { latest, rows: [1] })).toBe(true);
    expect(await reruns.register(second, { latest, rows: [1] })).toBe(false);
    expect(await store.get(second.id)).toBeNull();
    expect(await reruns.register(second, { latest: first.id, rows: [1] })).toBe(true);
    expect(await taken()).toEqual([expect.arrayContaining([first.id, second.id]), second.id]);
    const request = { by: 'ann', at: '2026-11-21T11:00:00.000Z', why: 'closed' };
    const of = await store.get(first.id);
    if (of === null) throw new Error('the run is gone');
    const open = {
      line: 2,
      key: 'K1',
      outcome: 'failed',
      code: '',
      isWrittenOff: false,
      isPurged: false,
    } as const;
    const standing = [{ ...open, run: parent, row: 1 }];
    await keepWriteOff(redis, keys, { of: { ...of, id: parent }, standing, request });
    expect(await reruns.register(third, { latest: second.id, rows: [1] })).toBe(false);
  });

  test('that never was registered leaves rows that go by themselves, and no run', async () => {
    const { redis, keys, inputOf, taken } = ownFamily();
    await inputOf('run-never').write(1, [row(1)]);
    expect(await redis.ttl(keys.run('run-never').input)).toBeGreaterThan(0);
    expect(await taken()).toEqual([[], '']);
  });

  test('does not take the place of its file’s run', async () => {
    const { store, reruns, inputOf } = ownFamily();
    const file = newRun();
    await store.register(file);
    const run = newRun({ rows: 1, facts: { ...file.facts, rows: 1 } });
    await inputOf(run.id).write(1, [row(1)]);
    await reruns.register(run, { latest: '', rows: [1] });
    expect(await store.register({ ...file, id: 'run-third' })).toEqual({ kind: 'known', id: file.id });
  });
});

test('rows that are gone are the user’s to hear of', async () => {
  const { inputOf } = ownFamily();
  const input = inputOf('run-1');
  await input.write(1, [row(1)]);
  await input.drop();
  await expect(allOf(input.read({ rows: 1, chunkRows: 1, chunkEnds: null }))).rejects.toThrow(UsageError);
});

describe('a registered rerun whose rows Redis has lost', () => {
  test('still has their numbers and what was said of cells, also where its record was put back from a journal', async () => {
    const { redis, keys, store, reruns, inputOf, taken } = ownFamily();
    const run = newRun({ rows: 3, chunkRows: 2 });
    const input = inputOf(run.id);
    await input.write(1, [row(2), row(7)]);
    await input.write(2, [row(301)]);
    const cells: RightCell[] = [[7, 'iban_invalid', 'digest']];
    await reruns.register({ ...run, right: { cells, why: 'asked' } }, { latest: '', rows: [2, 7, 301] });
    expect(await input.isWhole({ rows: 3, chunkRows: 2, chunkEnds: null })).toBe(true);
    const fields = restorableFields(await redis.hgetall(keys.run(run.id).record));
    await lose(redis, keys.run(run.id).record, keys.runs, keys.files, keys.run(run.id).input);
    await createReplay(redis, keys).run(run.id, fields);
    expect(await input.numbers()).toEqual([2, 7, 301]);
    expect((await store.termsOf(run.id)).right).toEqual(cells);
    expect(await input.isWhole({ rows: 3, chunkRows: 2, chunkEnds: null })).toBe(false);
    expect(await taken()).toEqual([[run.id], expect.stringContaining(`${run.id} `)]);
  });

  test('but for their record keeps them: they no longer go by themselves within the hour', async () => {
    const { redis, keys, reruns, inputOf } = ownFamily();
    const run = newRun({ rows: 1 });
    await inputOf(run.id).write(1, [row(1)]);
    await reruns.register(run, { latest: '', rows: [1] });
    const { record, input } = keys.run(run.id);
    const fields = restorableFields(await redis.hgetall(record));
    await lose(redis, record, keys.runs, keys.files);
    await expire(redis, input);
    await createReplay(redis, keys).run(run.id, fields);
    expect(await redis.ttl(input)).toBeGreaterThan(3600);
  });

  test('has no numbers where it is a run of a file', async () => {
    const { store, inputOf } = ownFamily();
    const { id } = await store.register(newRun());
    expect(await inputOf(id).numbers()).toBeNull();
  });
});

test('any ascending row numbers are read back as they were packed, and a million neighbours take a few kilobytes', async () => {
  const { redis, keys, inputOf } = ownFamily();
  const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 5_000_000 }), { minLength: 1, maxLength: 400 });
  await fc.assert(
    fc.asyncProperty(numbers, async (some) => {
      const rows = some.toSorted((a, b) => a - b);
      await setRecord(redis, keys.run('r'), { rowNumbers: await packRowNumbers(rows) });
      expect(await inputOf('r').numbers()).toEqual(rows);
    }),
  );
  const neighbours = Array.from({ length: 1_000_000 }, (_, i) => i + 1);
  expect((await packRowNumbers(neighbours)).length).toBeLessThan(5_000);
});

const WANTED: ReadonlySet<Outcome> = new Set(['failed', 'cancelled']);

/** What is chosen of a run's rows, and the counts. */
async function choose(
  view: LedgerView,
  seenTo: ReadonlySet<number>,
  only: ReadonlySet<number> | null = null,
) {
  const counts = { chosen: 0, withoutRecord: 0, inDoubt: 0 };
  const rows: number[] = [];
  for await (const batch of unsuccessfulRows(
    view,
    { outcomes: WANTED, rows: only, seenTo, isGrouped: false },
    counts,
  )) {
    rows.push(...batch.map(({ row }) => row));
  }
  return { rows, counts };
}

test('for any run, exactly the wanted rows that nobody has seen to are chosen, in order', async () => {
  const outcomes = fc.array(fc.constantFrom(...OUTCOMES), { maxLength: 350 });
  const some = fc.uniqueArray(fc.integer({ min: 1, max: 350 }));
  await fc.assert(
    fc.asyncProperty(outcomes, some, fc.option(some), async (list, seenTo, only) => {
      const settlements = list.map((outcome, i) => settled(i + 1, outcome));
      const sources = list.map((_, i) => cells(i + 1, 'a'));
      const view = makeView({ settlements, sources });
      const { rows, counts } = await choose(view, new Set(seenTo), only && new Set(only));
      const wanted = settlements
        .filter(({ row, outcome }) => WANTED.has(outcome) && only?.includes(row) !== false)
        .map(({ row }) => row);
      const free = wanted.filter((row) => !seenTo.includes(row));
      expect(rows).toEqual(free);
      expect(counts).toEqual({
        chosen: free.length,
        withoutRecord: 0,
        inDoubt: list.filter((outcome) => outcome === 'in-doubt').length,
      });
    }),
  );
});

test('a row whose record is not kept any more is counted, not chosen', async () => {
  const settlements = [settled(1, 'failed'), settled(2, 'failed')];
  const { rows, counts } = await choose(makeView({ settlements, sources: [cells(2, 'a')] }), new Set());
  expect([rows, counts.withoutRecord]).toEqual([[2], 1]);
});
