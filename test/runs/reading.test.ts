import { describe, expect, onTestFinished, test } from 'vitest';
import { openRunReading } from '../../src/runs/reading.ts';
import { useOwnRedis } from '../support/redis.ts';
import {
  inChunks,
  knownRun,
  loseChunk,
  misplaceChunk,
  openTestSession,
  rowsTo,
  settlementsOf,
  spoilChunk,
  startTestRun,
} from '../support/session.ts';
import { copyOf, lose, loseLedger, restart, setChunk, setLease } from '../support/stored.ts';
import { until } from '../support/until.ts';

const own = useOwnRedis();
/** Chunks that may be open at once, and a file that has more of them. */
const OPEN_CHUNKS_MAX = 64;
const ROWS = 100;

test('chunks that the reading has not come to are not missing; one that the queue has lost is, and the next reading puts it back', async (context) => {
  const session = await openTestSession(own(), context.onTestFinished);
  const { run, definition } = await startTestRun(session, { rows: ROWS });
  const rows = async () => inChunks(rowsTo(ROWS));
  const reading = await openRunReading({ run, definition, rows }, session);
  const has = (chunk: number) => session.queue.has(run.id, chunk);
  expect(await reading.sweep()).toBe(false);

  await reading.readOn();
  await until(() => has(OPEN_CHUNKS_MAX));
  expect([await reading.hold(), await has(OPEN_CHUNKS_MAX + 1), await reading.sweep()]).toEqual([
    true,
    false,
    false,
  ]);
  await loseChunk(session, run, 3);
  await misplaceChunk(session, run, 4);
  expect(await reading.waiting(run)).toBe(
    '62 chunks waiting for a worker, 2 chunks lost by the queue, added anew while the run is followed',
  );
  expect(await reading.sweep()).toBe(true);

  await reading.again();
  await reading.readOn();
  await until(async () => (await has(3)) && (await has(4)));
  await until(async () => !(await reading.sweep()));
  await reading.end();
  expect(await session.store.leaseOf(run.id)).toBeNull();
});

test('a chunk that nobody can read any more, in Redis or its file, has what may have been sent in doubt, and the rest stays open: it is said', async (context) => {
  const session = await openTestSession(own(), context.onTestFinished);
  const { run, definition } = await startTestRun(session, { rows: 2, chunkRows: 2 });
  let readings = 0;
  const rows = async () => {
    readings += 1;
    return readings > 1 ? null : inChunks(rowsTo(2), 2);
  };
  const reading = await openRunReading({ run, definition, rows }, session);
  await reading.readOn();
  await until(() => session.queue.has(run.id, 1));
  const k = session.ledger.of(run.target).keys.run(run.id);
  await setChunk(own().redis, k, { at: 'dead.1 1 o' });
  await spoilChunk(session, run, 1);
  expect(await reading.sweep()).toBe(true);
  await reading.again();
  await reading.readOn();
  await until(async () => (await knownRun(session.store, run.id)).reason === 'file-changed');
  await reading.end();
  expect((await settlementsOf(session, run)).map(({ row, outcome }) => [row, outcome])).toEqual([
    [1, 'in-doubt'],
  ]);
  expect(session.io.stderr.text).toContain('Rows 1 to 2 of run');
});

test('a Redis that lost all gets a run back that was approved as one that goes on; one that waited is gone', async (context) => {
  const session = await openTestSession(own(), context.onTestFinished);
  const { store, ledger, registration, service } = session;
  const { run, definition } = await startTestRun(session, { rows: 1, definition: { approval: 'required' } });
  const rows = async () => inChunks(rowsTo(1));
  const loseAll = async () => {
    const reading = await openRunReading({ run: await knownRun(store, run.id), definition, rows }, session);
    await reading.end();
    await loseLedger(own().redis, ledger.of(service.target).keys);
    await registration.verify();
    return store.get(run.id);
  };
  const { record } = ledger.of(run.target).keys.run(run.id);
  const goBack = await copyOf(own().redis, record);
  expect(await own().redis.hgetall(record)).toMatchObject({ state: 'paused', reason: 'approval' });
  expect(await loseAll()).toBeNull();
  await goBack();
  const approval = { by: 'bea', at: '2026-11-21T11:00:00.000Z', why: '' };
  await store.approve(run.id, approval);
  expect(await loseAll()).toMatchObject({ state: 'running', approval });
});

describe('a Redis that went back in time is told how far a run was handed out', () => {
  const vouched = async (between: 'nothing' | 'lost' | 'given back') => {
    const session = await openTestSession(own(), onTestFinished);
    const { run, definition } = await startTestRun(session, { rows: ROWS });
    const rows = async () => inChunks(rowsTo(ROWS));
    const reading = await openRunReading({ run, definition, rows }, session);
    await reading.readOn();
    await until(() => session.queue.has(run.id, OPEN_CHUNKS_MAX));
    const { lease, record } = session.ledger.of(run.target).keys.run(run.id);
    if (between === 'lost') {
      await setLease(own().redis, lease, 'another');
      expect(await reading.hold()).toBe(false);
      await lose(own().redis, lease);
      expect(await reading.hold()).toBe(true);
    }
    if (between === 'given back') await reading.end();
    await restart(own().redis, session.ledger.of(run.target).keys);
    await session.registration.verify();
    if (between !== 'given back') await reading.end();
    return (await own().redis.hget(record, 'vouched')) !== null;
  };

  // Another one may have handed out more, and Redis may have lost it.
  test.each([
    ['nothing', true],
    ['lost', false],
    ['given back', false],
  ] as const)('by its reader, whose lease was meanwhile: %s', async (between, isVouched) =>
    expect(await vouched(between)).toBe(isVouched),
  );
});
