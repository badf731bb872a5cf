import { describe, expect, type TestContext, test } from 'vitest';
import { packRowNumbers } from '../../src/engine/ledger/row-numbers.ts';
import { UsageError } from '../../src/lib/usage-error.ts';
import type { Row } from '../../src/model/row.ts';
import type { Run } from '../../src/model/run.ts';
import type { RowChunk } from '../../src/readers/intake/chunks.ts';
import { windUpRun } from '../../src/runs/wind-up.ts';
import { useOwnRedis } from '../support/redis.ts';
import {
  closeChunk,
  holdChunk,
  inChunks,
  openTestSession,
  rowsTo,
  settlementsOf,
  startTestRun,
  type TestSession,
} from '../support/session.ts';
import { doubtOf } from '../support/settled-row.ts';
import { setRecord } from '../support/stored.ts';

const own = useOwnRedis();
const ROWS = 6;
const CHUNK_ROWS = 2;
const claimed = { kind: 'claimed' } as const;

/** A cancelled run of six rows in chunks of two; `record`: what else its record says. */
async function startWindUp({ onTestFinished }: TestContext, record: Readonly<Record<string, string>> = {}) {
  const session = await openTestSession(own(), onTestFinished);
  const { run: begun, definition } = await startTestRun(session, { rows: ROWS, chunkRows: CHUNK_ROWS });
  const { keys } = session.ledger.of(begun.target);
  await setRecord(session.ledger.redis, keys.run(begun.id), record);
  await session.store.transition(begun.id, 'cancelled', null);
  const run = (await session.store.get(begun.id)) ?? begun;
  const signal = new AbortController().signal;
  const windUp = (chunks: AsyncIterable<RowChunk> | null = inChunks(rowsTo(ROWS), CHUNK_ROWS)) =>
    windUpRun({ run, definition, rows: async () => chunks, queue: session.queue, signal, session });
  return { session, run, definition, windUp };
}

/** Row, line and outcome of each row. */
async function ended(session: TestSession, run: Run) {
  return (await settlementsOf(session, run)).map(({ row, line, outcome }) => [row, line, outcome]);
}

const cancelled = (...rows: readonly (readonly [row: number, line: number])[]) =>
  rows.map((row) => [...row, 'cancelled']);

const jobOf = (run: Run, chunk: number, rows: readonly Row[]) => ({
  run: run.id,
  chunk,
  rows: rows.map((row) => ({ row, claim: claimed })),
});

describe.concurrent('a cancelled run', () => {
  test('has its open chunks cancelled, those that are closed passed over', async (context) => {
    const { session, run, windUp } = await startWindUp(context);
    const created = [3, 4].map((row) => doubtOf(row, { outcome: 'created' }));
    await closeChunk(session, run, 2, created);
    expect(await windUp()).toBe('complete');
    expect(await ended(session, run)).toEqual([
      ...cancelled([1, 2], [2, 3]),
      [3, 4, 'created'],
      [4, 5, 'created'],
      ...cancelled([5, 6], [6, 7]),
    ]);
  });

  test('leaves a chunk to the worker that has it in hand, until it has it no longer', async (context) => {
    const { session, run, windUp } = await startWindUp(context);
    await session.queue.add([jobOf(run, 1, rowsTo(2))]);
    const held = await holdChunk(session);
    await held.taken;
    let isOver = false;
    const winding = windUp().finally(() => {
      isOver = true;
    });
    expect([await session.queue.takeOut(run.id, 1), isOver]).toEqual([null, false]);
    expect(await ended(session, run)).toEqual([]);
    held.putBack();
    expect(await winding).toBe('complete');
    expect(await ended(session, run)).toHaveLength(ROWS);
  });

  test('looks again at a chunk in which a row could not be settled', async (context) => {
    const { session, run, definition } = await startWindUp(context);
    let deliveries = 0;
    const delivery: TestSession['delivery'] = {
      ...session.delivery,
      async deliver(job, lease) {
        deliveries += 1;
        return deliveries === 2 ? 'put-back' : session.delivery.deliver(job, lease);
      },
    };
    const rows = async () => inChunks(rowsTo(ROWS), CHUNK_ROWS);
    const { signal } = new AbortController();
    await windUpRun({
      run,
      definition,
      rows,
      queue: session.queue,
      signal,
      session: { ...session, delivery },
    });
    expect([deliveries, (await ended(session, run)).length]).toEqual([4, ROWS]);
  });
});

describe.concurrent('rows that can’t be read any more', () => {
  async function* breaking(rows: readonly Row[]) {
    yield* inChunks(rows, CHUNK_ROWS);
    throw new Error('gone');
  }

  test.for([
    ['at all', null, [0, 0, 0, 0, 0, 0], false],
    ['from some chunk on', breaking(rowsTo(2)), [2, 3, 0, 0, 0, 0], true],
    ['since the file is shorter now', inChunks(rowsTo(2), CHUNK_ROWS), [2, 3, 0, 0, 0, 0], false],
  ] as const)('%s: each is there by its number, no line', async ([_, chunks, lines, isTold], context) => {
    const { session, run, windUp } = await startWindUp(context);
    expect(await windUp(chunks)).toBe('complete');
    expect(await ended(session, run)).toEqual(lines.map((line, i) => [i + 1, line, 'cancelled']));
    expect(session.io.stderr.text.includes('warning: gone')).toBe(isTold);
  });

  test('are none where a chunk is not whole: the queue’s word counts before a short reading', async (context) => {
    const { session, run, windUp } = await startWindUp(context);
    await session.queue.add([jobOf(run, 3, rowsTo(6).slice(4))]);
    await windUp(inChunks(rowsTo(5), CHUNK_ROWS));
    expect((await ended(session, run)).map(([, line]) => line)).toEqual([2, 3, 4, 5, 6, 7]);
  });

  test.for([
    ['not known', null],
    ['too few', [1, 2]],
  ] as const)('of a rerun whose numbers are %s are not made up', async ([_, known], context) => {
    const numbers: Readonly<Record<string, string>> =
      known === null ? {} : { rowNumbers: await packRowNumbers(known) };
    const { windUp } = await startWindUp(context, { parent: 'run-0', ...numbers });
    await expect(windUp(null)).rejects.toThrow(UsageError);
  });

  test('of a rerun whose numbers are known have those, without a line', async (context) => {
    const numbers = [2, 7, 301, 302, 900, 901];
    const record = { parent: 'run-0', rowNumbers: await packRowNumbers(numbers) };
    const { session, run, windUp } = await startWindUp(context, record);
    expect(await windUp(null)).toBe('complete');
    expect(await ended(session, run)).toEqual(numbers.map((row) => [row, 0, 'cancelled']));
  });
});
