import { describe, expect, test } from 'vitest';
import { jobDefinitionSchema } from '../../../src/config/job-definition.ts';
import { fieldsPlace, identityPlace, type LedgerKeys } from '../../../src/engine/ledger/keys.ts';
import { protocol } from '../../../src/engine/ledger/protocol.ts';
import type { RunStore } from '../../../src/engine/ledger/run-store.ts';
import { createRunView } from '../../../src/engine/ledger/run-view.ts';
import type { SettledRow } from '../../../src/engine/ledger/settle-entry.ts';
import { createReplay, restorableFields } from '../../../src/engine/recovery/replay.ts';
import { noOutcomes } from '../../../src/model/outcome.ts';
import { openTestEpoch } from '../../support/epoch.ts';
import { claimOf, settleEntries } from '../../support/ledger.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { newRun, ownStore } from '../../support/runs.ts';
import { settledRow } from '../../support/settled-row.ts';
import {
  copyOf,
  everythingIn,
  getEntry,
  loseLedger,
  setAccepted,
  setBreaker,
  setChunk,
  setEntry,
  setLatest,
  setOfRun,
  setRecord,
} from '../../support/stored.ts';

const own = useOwnRedis();

type Bench = {
  readonly keys: LedgerKeys;
  readonly store: RunStore;
  readonly replay: ReturnType<typeof createReplay>;
  readonly id: string;
  /** Its record as a journal keeps it. */
  readonly fields: Readonly<Record<string, string>>;
  lose(): Promise<void>;
  /** Everything that the ledger holds of the target. */
  everything(): Promise<Readonly<Record<string, unknown>>>;
  marks(chunk?: number): Promise<Record<string, string>>;
};

/** A running run of 200 rows in two chunks, and what puts it back. */
async function startBench(): Promise<Bench> {
  const { redis, keys, store } = ownStore(own().redis);
  const { id } = await store.register(newRun({ rows: 200 }));
  await store.transition(id, 'running', null);
  const { record, chunk } = keys.run(id);
  return {
    keys,
    store,
    replay: createReplay(redis, keys),
    id,
    fields: restorableFields(await redis.hgetall(record)),
    lose: () => loseLedger(redis, keys),
    everything: () => everythingIn(redis, keys),
    async marks(n = 1) {
      const { n: _, ...marks } = await redis.hgetall(`${chunk}${n}`);
      return marks;
    },
  };
}

const settled = settledRow;

const placeOf = ({ keys }: Bench, key: string) => identityPlace(keys, { space: 'subclient', key });

/** Puts the ends of these rows back. */
const settle = (bench: Bench, ...rows: readonly SettledRow[]) =>
  bench.replay.settled(bench.id, settleEntries(bench.keys, rows));

const outcomesOf = async ({ store, id }: Bench) => (await store.get(id))?.outcomes;

/** Marks that Redis has of rows of chunk 1. */
const leaveMarks = ({ keys, id }: Bench, marks: Readonly<Record<number, string>>) =>
  setChunk(own().redis, keys.run(id), marks);

/** What another run finds when it claims the key. */
async function claimed({ keys }: Bench, key: string) {
  const epoch = await openTestEpoch(own().redis, keys);
  const [claim] = await claimOf({ epoch, keys }, 'run-other', [[1, key]]);
  return claim;
}

const fileEntryOf = ({ fields }: Bench) => `${fields.sha256}:${fields.job}`;
const heldFor = (bench: Bench) => own().redis.hget(bench.keys.files, fileEntryOf(bench));

/** Another run of the same file, begun at that time. */
async function registerFor({ store, fields }: Bench, createdAt: string): Promise<string> {
  const run = newRun({ rows: 200 });
  const facts = { ...run.facts, sha256: fields.sha256 ?? '' };
  return (await store.register({ ...run, facts, createdAt: new Date(createdAt) })).id;
}

describe('a run’s record', () => {
  test('that Redis has lost is put back: it runs, is listed, found by its file, and nothing of it is counted', async () => {
    const bench = await startBench();
    const before = await bench.store.get(bench.id);
    await bench.lose();
    await bench.replay.run(bench.id, bench.fields);
    expect(await bench.store.get(bench.id)).toEqual({ ...before, outcomes: noOutcomes(), closedChunks: 0 });
    expect((await bench.store.list(9)).map(({ id }) => id)).toEqual([bench.id]);
    const again = newRun({ rows: 200 });
    const facts = { ...again.facts, sha256: before?.sha256 ?? '' };
    expect(await bench.store.register({ ...again, facts })).toEqual({ kind: 'known', id: bench.id });
  });

  test('that is there stays as it is', async () => {
    const bench = await startBench();
    await settle(bench, settled(1, 'created'));
    await bench.store.transition(bench.id, 'paused', 'requested');
    const before = await bench.everything();
    await bench.replay.run(bench.id, bench.fields);
    expect(await bench.everything()).toEqual(before);
  });

  test.each(['queued', 'running', 'paused', 'stopped'] as const)(
    'that Redis has as %s is cancelled where one journal knows of that, whatever the others say',
    async (state) => {
      const bench = await startBench();
      await setRecord(own().redis, bench.keys.run(bench.id), { state });
      await bench.replay.run(bench.id, bench.fields);
      await bench.replay.run(bench.id, { ...bench.fields, state: 'cancelled' });
      await bench.replay.run(bench.id, bench.fields);
      expect((await bench.store.get(bench.id))?.state).toBe('cancelled');
    },
  );

  test('that is put back does not take its file’s entry from a later run', async () => {
    const bench = await startBench();
    await bench.lose();
    const later = await registerFor(bench, '2026-11-21T10:00:01Z');
    await bench.replay.run(bench.id, bench.fields);
    expect(await heldFor(bench)).toBe(later);
  });

  test('takes its file’s entry from an earlier run that Redis went back to, and from one that is gone', async () => {
    const bench = await startBench();
    await bench.lose();
    const earlier = await registerFor(bench, '2026-11-21T09:59:59Z');
    await bench.replay.run(bench.id, bench.fields);
    expect(await heldFor(bench)).toBe(bench.id);
    expect((await bench.store.list(9)).map(({ id }) => id)).toEqual([bench.id, earlier]);
    await bench.lose();
    await setLatest(own().redis, bench.keys, fileEntryOf(bench), 'run-gone');
    await bench.replay.run(bench.id, bench.fields);
    expect(await heldFor(bench)).toBe(bench.id);
  });

  test('that waits for approval is put back waiting, and one that was approved with who did it', async () => {
    const definition = jobDefinitionSchema.parse({ operation: 'subclient.create', approval: 'required' });
    const { redis, keys, store } = ownStore(own().redis);
    const { id } = await store.register(newRun({ definition, target: 'http://127.0.0.1' }));
    const replay = createReplay(redis, keys);
    const loseAndPutBack = async () => {
      const fields = restorableFields(await redis.hgetall(keys.run(id).record));
      await loseLedger(redis, keys);
      await replay.run(id, fields);
      return store.get(id);
    };
    expect(await loseAndPutBack()).toMatchObject({ state: 'paused', reason: 'approval' });
    expect(await store.transition(id, 'running', null)).toBe(false);
    const goBack = await copyOf(redis, keys.run(id).record);
    const approval = { by: 'bea', at: '2026-11-21T11:00:00.000Z', why: '' };
    await store.approve(id, approval);
    const approved = restorableFields(await redis.hgetall(keys.run(id).record));
    expect(await loseAndPutBack()).toMatchObject({ state: 'running', approval });
    // Redis went back to before the approval: it is asked for again.
    await goBack();
    await replay.run(id, approved);
    expect(await store.get(id)).toMatchObject({ state: 'paused', reason: 'approval' });
  });

  test('as it is kept has no counts and no end of its own', () => {
    const record = { id: 'r', state: 'finished', reason: 'requested', finishedAt: 'x' };
    expect(restorableFields({ ...record, 'o:created': '7', startedAt: 'y' })).toEqual({
      id: 'r',
      state: 'running',
      reason: '',
      startedAt: 'y',
    });
  });
});

describe('the highest chunk handed out', () => {
  test('is put back, and a lower one does not lower it', async () => {
    const bench = await startBench();
    for (const chunk of [2, 7, 3]) await bench.replay.added(bench.id, chunk);
    expect(await own().redis.hget(bench.keys.run(bench.id).record, 'added')).toBe('7');
  });

  test('is vouched for only until another is handed out', async () => {
    const bench = await startBench();
    const vouched = () => own().redis.hexists(bench.keys.run(bench.id).record, 'vouched');
    await bench.replay.added(bench.id, 7);
    await bench.replay.vouched(bench.id);
    expect(await vouched()).toBe(1);
    await bench.replay.added(bench.id, 8);
    expect(await vouched()).toBe(0);
  });

  test('of a run that Redis has lost does not make half a run of it', async () => {
    const bench = await startBench();
    await bench.lose();
    await bench.replay.added(bench.id, 7);
    expect(await bench.everything()).toEqual({});
  });
});

describe('settled rows', () => {
  test('come back with their counts, identities, sources, bodies and documents', async () => {
    const bench = await startBench();
    const identity = (key: string) => ({ space: 'subclient', key });
    await bench.lose();
    await bench.replay.run(bench.id, bench.fields);
    await settle(
      bench,
      settled(1, 'created', { identity: identity('A') }),
      settled(2, 'in-doubt', { identity: identity('B'), source: '{"row":2}' }),
      settled(3, 'rejected', { source: '{"row":3}', body: '{"why":"€"}' }),
      settled(101, 'listed', { chunk: 2, documents: '[{"id":"1"}]' }),
    );
    const counts = { created: 1, 'in-doubt': 1, rejected: 1, listed: 1 };
    expect(await outcomesOf(bench)).toEqual({ ...noOutcomes(), ...counts });
    const rows = [await bench.marks(), await bench.marks(2)].map((marks) => Object.keys(marks).join());
    expect(rows).toEqual(['1,2,3', '101']);
    expect(await claimed(bench, 'A')).toEqual({ kind: 'known', run: bench.id, id: 'id-1' });
    expect(await claimed(bench, 'B')).toEqual({ kind: 'held', run: bench.id, row: 2, inDoubt: true });
    const { sources, documents, doubts } = bench.keys.run(bench.id);
    const kept = [sources, documents, doubts].map((key) => own().redis.hgetall(key));
    expect(await Promise.all(kept)).toEqual([
      { 2: '{"row":2}', 3: '{"row":3}' },
      { 101: '[{"id":"1"}]' },
      { 2: '1' },
    ]);
    const run = await bench.store.get(bench.id);
    const view = run === null ? null : createRunView(own().redis, bench.keys, run);
    expect((await view?.bodies([3]))?.get(3)?.text).toBe('{"why":"€"}');
  });

  test('that the ledger has an outcome of stay as they are, in an open chunk and in a closed one', async () => {
    const bench = await startBench();
    await settle(bench, settled(1, 'rejected'));
    await setOfRun(own().redis, bench.keys.run(bench.id), 'blocks', { 2: 'a block' });
    const before = await bench.everything();
    await settle(bench, settled(1, 'created'), settled(101, 'created', { chunk: 2 }));
    expect(await bench.everything()).toEqual(before);
  });

  test.each(['created', 'failed', 'rejected', 'in-doubt'] as const)(
    'of a take whose earlier attempt is what Redis went back to: the end stands (%s)',
    async (outcome) => {
      const bench = await startBench();
      await leaveMarks(bench, { 1: 'i me.1 1' });
      await settle(bench, settled(1, outcome, { mark: 'i me.1 3' }));
      expect(await outcomesOf(bench)).toEqual({ ...noOutcomes(), [outcome]: 1 });
      expect((await bench.marks())[1]).toMatch(/^\[1,/);
    },
  );

  test('of another take than the one whose intent stands: only what the service accepted is put back', async () => {
    const bench = await startBench();
    await leaveMarks(bench, { 1: 'i other.1 1', 2: 'i other.1 1' });
    await settle(
      bench,
      settled(1, 'failed', { mark: 'i me.1 1' }),
      settled(2, 'created', { mark: 'i me.1 1' }),
    );
    expect(await outcomesOf(bench)).toEqual({ ...noOutcomes(), created: 1 });
    expect((await bench.marks())[1]).toBe('i other.1 1');
  });

  test('in doubt, over an intent of another process: its withdrawal does not free the row any more', async () => {
    const bench = await startBench();
    await leaveMarks(bench, { 1: 'i other.1 1' });
    await settle(bench, settled(1, 'in-doubt', { mark: 'i me.1 1' }));
    expect(await outcomesOf(bench)).toEqual(noOutcomes());
    expect(await bench.marks()).toEqual({ 1: protocol.conflicting });
  });

  test.each([
    ['under way, as at the time of the update', '~me.1', 'after'],
    ['as they were before the update', 'before', '~'],
    ['not there', '', '~'],
  ])('of an update: the digests of the record’s fields that Redis has %s', async (_, held, kept) => {
    const bench = await startBench();
    const fields = { space: 'subclient', key: 'A' };
    const { bucket, digest } = fieldsPlace(bench.keys, fields);
    if (held !== '') await setAccepted(own().redis, bench.keys, fields, held);
    const change = { ...fields, before: '~me.1', after: 'after', content: '' };
    await settle(bench, settled(1, 'updated', { fields: change }));
    expect((await own().redis.hget(bucket, digest)) ?? '').toBe(kept);
  });
});

describe('intents', () => {
  test('that Redis has lost come back with their keys’ claims', async () => {
    const bench = await startBench();
    await bench.replay.intended(bench.id, [
      { chunk: 1, row: 1, mark: 'i me.1 1', key: placeOf(bench, 'A') },
      { chunk: 2, row: 101, mark: 'i me.2 1' },
    ]);
    expect([await bench.marks(), await bench.marks(2)]).toEqual([{ 1: 'i me.1 1' }, { 101: 'i me.2 1' }]);
    expect(await claimed(bench, 'A')).toEqual({ kind: 'held', run: bench.id, row: 1, inDoubt: false });
  });

  test('come back into a run that is paused by then, and past a hold: what was sent asks nobody', async () => {
    const { id, keys, replay, store, marks } = await startBench();
    await store.transition(id, 'paused', null);
    await setBreaker(own().redis, keys, { hold: Date.now() + 60_000 });
    await replay.intended(id, [{ chunk: 1, row: 1, mark: 'i a.1 1.1' }]);
    expect(await marks()).toEqual({ 1: 'i a.1 1.1' });
  });

  test('take the place of an earlier one of the same process', async () => {
    const bench = await startBench();
    await leaveMarks(bench, { 1: 'i me.1 1' });
    await bench.replay.intended(bench.id, [{ chunk: 1, row: 1, mark: 'i me.2 1' }]);
    expect(await bench.marks()).toEqual({ 1: 'i me.2 1' });
  });

  test('over one of another process make the row conflicting: what the service accepted ends it, a refusal does not', async () => {
    const bench = await startBench();
    await leaveMarks(bench, { 1: 'i other.1 1', 2: 'i other.1 1' });
    const intents = [1, 2].map((row) => ({ chunk: 1, row, mark: 'i me.1 1' }));
    await bench.replay.intended(bench.id, intents);
    expect(await bench.marks()).toEqual({ 1: protocol.conflicting, 2: protocol.conflicting });
    const mark = 'i me.1 1';
    await settle(bench, settled(1, 'failed', { mark }), settled(2, 'created', { mark }));
    expect((await bench.marks())[1]).toBe(protocol.conflicting);
    expect(await outcomesOf(bench)).toEqual({ ...noOutcomes(), created: 1 });
  });

  test('are not put back where the row or its chunk has ended', async () => {
    const bench = await startBench();
    await settle(bench, settled(1, 'created'));
    await setOfRun(own().redis, bench.keys.run(bench.id), 'blocks', { 2: 'a block' });
    const before = await bench.everything();
    await bench.replay.intended(bench.id, [
      { chunk: 1, row: 1, mark: 'i me.1 1' },
      { chunk: 2, row: 101, mark: 'i me.1 1' },
    ]);
    expect(await bench.everything()).toEqual(before);
  });

  test('leave a key as it is that the ledger knows more of, and claim one that was given back', async () => {
    const bench = await startBench();
    await setEntry(own().redis, bench.keys, 'A', 'k run-before 1 id-9');
    await setEntry(own().redis, bench.keys, 'B', 'x run-before 2 ');
    await bench.replay.intended(bench.id, [
      { chunk: 1, row: 1, mark: 'i me.1 1', key: placeOf(bench, 'A') },
      { chunk: 1, row: 2, mark: 'i me.1 1', key: placeOf(bench, 'B') },
    ]);
    expect(await getEntry(own().redis, bench.keys, 'A')).toBe('k run-before 1 id-9');
    expect(await getEntry(own().redis, bench.keys, 'B')).toBe(`c ${bench.id} 2 `);
  });

  test('of more rows than one command takes all come back', async () => {
    const bench = await startBench();
    const intents = Array.from({ length: 450 }, (_, i) => ({ chunk: 1, row: i + 1, mark: `i me.1 ${i}` }));
    await bench.replay.intended(bench.id, intents);
    expect(Object.keys(await bench.marks())).toHaveLength(450);
  });
});
