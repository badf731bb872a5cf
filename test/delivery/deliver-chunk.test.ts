import { describe, expect, test } from 'vitest';
import { settledRow } from '../../src/delivery/row-task.ts';
import { claimKeys } from '../../src/engine/ledger/key-claims.ts';
import type { ChunkJob } from '../../src/engine/queue/chunk-job.ts';
import { noOutcomes } from '../../src/model/outcome.ts';
import { memoryJournal } from '../support/epoch.ts';
import { useOwnRedis } from '../support/redis.ts';
import { makePossiblySent } from '../support/stored.ts';
import {
  answer,
  type Bench,
  type BenchOptions,
  chunkOf,
  created,
  deliverOn,
  endsOf,
  HELD,
  serving,
  settlementsOf,
  startBench,
} from './row-bench.ts';
import { CLAIMS, sampleRow, sampleTask } from './sample-task.ts';

const own = useOwnRedis();
const start = (options: BenchOptions = {}) => startBench(own().redis, options);

/** Delivers chunk 1 of the bench with `rows` rows. */
const deliver = (bench: Bench, rows: number, lease = HELD, fencingToken = 'me.1') =>
  deliverOn(bench, chunkOf(bench, rows), { lease, fencingToken });

/** A row of the bench that was created before. */
const madeBefore = ({ context }: Bench, row: number) =>
  context.ledger.settle(
    settledRow(sampleTask('subclient.create', { run: context.run, row: sampleRow(row) }), {
      outcome: 'created',
      id: 'made-before',
    }),
  );

const claimAs = async (bench: Bench, run: string, row: number, key: string) =>
  (
    await claimKeys(bench.epoch, bench.keys, {
      run,
      space: { name: 'subclient', ofRun: false },
      rows: [{ row, key }],
    })
  ).claims;

describe('a chunk', () => {
  test('of a run that was cancelled is settled without sending: what is untouched is cancelled, what was in flight in doubt', async () => {
    const bench = await start({ rows: 3 });
    const { id } = bench.context.run;
    await claimAs(bench, id, 1, 'K1');
    await bench.setMark(2, 'i dead.1 1');
    await madeBefore(bench, 3);
    await bench.turn('cancelled');
    expect(await deliver(bench, 3)).toBe('closed');
    expect(await endsOf(bench)).toEqual(['1 cancelled', '2 in-doubt worker_lost', '3 created made-before']);
    expect([bench.attempts, (await bench.run()).state]).toEqual([[], 'cancelled']);
    expect(await claimAs(bench, 'run-other', 1, 'K1')).toEqual([{ kind: 'claimed' }]);
  });

  test('of a rerun has the numbers that its rows have in the file, in ascending order', async () => {
    const bench = await start({ rows: 2 });
    const context = { ...bench.context, run: { ...bench.context.run, parent: 'run-0' } };
    const job = chunkOf(bench, 2);
    const withRows = (...rows: number[]) => ({
      ...job,
      rows: rows.map((n) => ({ row: sampleRow(n), claim: CLAIMS.claimed })),
    });
    for (const damaged of [withRows(7), withRows(303, 7), withRows(7, 7)])
      await deliverOn(bench, damaged, { context });
    expect([bench.attempts, bench.troubles.length]).toEqual([[], 3]);
    expect(await deliverOn(bench, withRows(7, 303), { context })).toBe('closed');
    expect(await endsOf(bench)).toEqual(['7 created made-1', '303 created made-1']);
  });

  test.each([
    ['too few rows', 3, (rows: ChunkJob['rows']) => rows.slice(0, 2)],
    ['too many', 2, (rows: ChunkJob['rows']) => [...rows, ...rows.slice(0, 1)]],
    ['other rows', 3, (rows: ChunkJob['rows']) => rows.toReversed()],
  ])('with %s is dropped: closing it would lose or mistake rows', async (_, rows, damage) => {
    const bench = await start({ rows });
    const job = chunkOf(bench, rows);
    expect(await deliverOn(bench, { ...job, rows: damage(job.rows) })).toBe('closed');
    const closed = await bench.store.countClosed(job.run);
    expect([bench.attempts, await endsOf(bench), closed]).toEqual([[], [], 0]);
    expect(bench.troubles).toEqual(['a chunk with other rows than the run has there was dropped']);
  });

  test('of which one row meets a bug fails when all others have come to their ends', async () => {
    const bench = await start({
      rows: 5,
      attempt: async (n) => {
        if (n === 1) throw new Error('a bug');
        await new Promise((resolve) => setImmediate(resolve));
        return created();
      },
    });
    await expect(deliver(bench, 5)).rejects.toThrow('a bug');
    expect((await settlementsOf(bench)).map((s) => s.outcome)).toEqual(Array(4).fill('created'));
  });

  test('of which a row is taken by another worker meanwhile is put back; that row is left to it', async () => {
    const bench = await start({ rows: 2 });
    const context = serving(bench, {
      token: async () => {
        await bench.setMark(2, 'i other.1 1');
        return 'token-1';
      },
    });
    expect(await deliverOn(bench, chunkOf(bench, 2), { context })).toBe('put-back');
    expect(bench.attempts.map((a) => a.request.body)).toEqual(['{"details":{"name":"Company 1"}}']);
    expect([await bench.mark(2), await endsOf(bench)]).toEqual(['i other.1 1', ['1 created made-1']]);
  });
});

describe('a dead worker’s intent', () => {
  test('of an update: the row is taken over and sent, once, though two workers find it', async () => {
    const bench = await start({ operation: 'subclient.update' });
    await bench.setMark(1, 'i dead.1 1');
    const ends = await Promise.all([
      deliver(bench, 1),
      deliverOn(bench, chunkOf(bench, 1), { context: bench.another, fencingToken: 'other.1' }),
    ]);
    expect(ends).toContain('closed');
    expect([bench.attempts.length, (await bench.run()).outcomes.updated]).toEqual([1, 1]);
  });
});

describe('a journal that can’t be written', () => {
  test('lets nothing be sent: the intents are taken back, and the run pauses', async () => {
    const bench = await start({ rows: 3, journal: memoryJournal('no space left on device') });
    expect(await deliver(bench, 3)).toBe('put-back');
    expect(bench.attempts).toEqual([]);
    expect(await Promise.all([1, 2, 3].map(bench.mark))).toEqual([null, null, null]);
    expect(await bench.run()).toMatchObject({ state: 'paused', reason: 'journal', outcomes: noOutcomes() });
    expect(new Set(bench.troubles)).toEqual(new Set(['no space left on device']));
    // Should it be on the disk after all, a replay must not think that the rows went.
    expect(bench.journal.records.map(({ kind }) => kind)).toEqual(['withdrawn']);
  });
});

describe('a chunk that a worker may have had whose journal is lost', () => {
  const loseTrace = (bench: Bench) => makePossiblySent(own().redis, bench.keys.run(bench.context.run.id));

  test('of creates, if that comes out after it was taken: nothing is sent any more, and the next take has it in doubt', async () => {
    const bench = await start({ rows: 1 });
    const context = serving(bench, {
      token: async () => {
        await loseTrace(bench);
        return 'token-1';
      },
    });
    expect(await deliverOn(bench, chunkOf(bench, 1), { context })).toBe('put-back');
    expect([bench.attempts, await bench.mark(1)]).toEqual([[], null]);
    expect(await deliver(bench, 1, HELD, 'me.2')).toBe('closed');
    expect(await settlementsOf(bench)).toMatchObject([{ outcome: 'in-doubt', code: 'journal_lost' }]);
  });
});

describe('permission', () => {
  test('missing: while the run is being paused no other row goes', async () => {
    const bench = await start({ rows: 40, concurrency: 1, attempt: () => answer(403) });
    const pause = async () => {
      for (let i = 0; i < 100; i += 1) await bench.redis.ping();
      await bench.turn('paused', 'permission');
    };
    const context = { ...bench.context, pause };
    expect(await deliverOn(bench, chunkOf(bench, 40), { context })).toBe('put-back');
    expect(bench.attempts).toHaveLength(3);
  });
});

describe('outside the window', () => {
  test('a chunk is put aside, and nothing of it is sent', async () => {
    const bench = await start({ rows: 2, over: { isOpen: () => false } });
    expect(await deliver(bench, 2)).toBe('put-aside');
    expect([bench.attempts, await bench.mark(1)]).toEqual([[], null]);
  });

  test('a row that was about to be sent as it closed is untouched', async () => {
    let looks = 0;
    const isOpen = () => {
      looks += 1;
      // As the chunk is taken, and before the intent.
      return looks <= 2;
    };
    const bench = await start({ over: { isOpen } });
    expect(await deliver(bench, 1)).toBe('put-back');
    expect([bench.attempts, await bench.mark(1), looks]).toEqual([[], null, 3]);
  });
});
