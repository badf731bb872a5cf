import { describe, expect, test } from 'vitest';
import { jobDefinitionSchema } from '../../../src/config/job-definition.ts';
import { createRunStore } from '../../../src/engine/ledger/run-store.ts';
import { systemUser } from '../../../src/lib/machine.ts';
import { RUN_STATES, RUN_TRANSITIONS, reasonSchema } from '../../../src/model/run.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { beginRun, newRun, ownStore } from '../../support/runs.ts';
import { counted, setLease, setRecord } from '../../support/stored.ts';
import { until } from '../../support/until.ts';

const own = useOwnRedis();
const NOW = new Date('2026-11-21T11:00:00.000Z');
const openStore = () => ownStore(own().redis, NOW).store;
const OWN = systemUser().name;

describe('registering a run', () => {
  test('under the id of another one is refused, and that one stays as it is', async () => {
    const store = openStore();
    const run = newRun({ id: 'run-same', rows: 3 });
    await store.register(run);
    await expect(store.register(newRun({ id: 'run-same', rows: 7 }))).rejects.toThrow(
      /another run has the id/,
    );
    expect((await store.get('run-same'))?.rows).toBe(3);
  });

  test('a new file gives a new, queued run with all counters at zero', async () => {
    const store = openStore();
    const run = newRun();
    expect(await store.register(run)).toEqual({ kind: 'new', id: run.id });
    const read = await store.get(run.id);
    expect(read).toMatchObject({
      id: run.id,
      state: 'queued',
      reason: null,
      rows: 3,
      closedChunks: 0,
      startedAt: null,
    });
    expect(Object.values(read?.outcomes ?? { missing: 1 }).every((n) => n === 0)).toBe(true);
    expect(await store.definition(run.id)).toEqual(run.definition);
  });

  test('the same file through the same job names the run that took it, unfinished or finished', async () => {
    const store = openStore();
    const first = newRun();
    await store.register(first);
    const again = { ...first, id: 'run-second' };
    expect(await store.register(again)).toEqual({ kind: 'known', id: first.id });
    await store.transition(first.id, 'finished', null);
    expect(await store.register(again)).toEqual({ kind: 'known', id: first.id });
  });

  test('`again` makes a new run of a finished file, and goes on with an unfinished one', async () => {
    const store = openStore();
    const first = newRun();
    await store.register(first);
    const again = { ...first, id: 'run-second', again: true };
    expect(await store.register(again)).toEqual({ kind: 'known', id: first.id });
    await store.transition(first.id, 'finished', null);
    expect(await store.register(again)).toEqual({ kind: 'new', id: 'run-second' });
  });
});

test('a run has with it the job’s last delivery that was finished when it was registered, for good', async () => {
  const store = openStore();
  const againstOf = async (job: string) => {
    const id = await beginRun(store, job, 'running');
    return { id, against: (await store.get(id))?.against };
  };
  const earlier = await againstOf('a');
  expect(earlier.against).toBeNull();
  const done = await beginRun(store, 'a', 'finished');
  await beginRun(store, 'b', 'finished');
  await beginRun(store, 'a', 'cancelled');
  const at = (await store.get(done))?.createdAt;
  const later = await againstOf('a');
  expect(later.against).toEqual({ run: done, at });

  await store.transition(later.id, 'finished', null);
  await store.transition(earlier.id, 'finished', null);
  expect((await store.get(later.id))?.against).toEqual({ run: done, at });
  expect((await store.get(earlier.id))?.against).toBeNull();
  expect((await againstOf('a')).against).toMatchObject({ run: later.id });
});

test('a registration sent again after the run was taken up does not take it back to its queue', async () => {
  const store = openStore();
  const run = newRun();
  await store.register(run);
  await store.transition(run.id, 'running', null);
  await store.register(run);
  expect((await store.get(run.id))?.state).toBe('running');
});

describe('transitions', () => {
  const pairs = RUN_STATES.flatMap((from) =>
    RUN_STATES.map((to) => ({ from, to, legal: RUN_TRANSITIONS[from].includes(to) })),
  );

  test.each(pairs)('from $from to $to: $legal', async ({ from, to, legal }) => {
    const { redis, keys, store } = ownStore(own().redis);
    const id = await beginRun(store, 'a', 'queued');
    await setRecord(redis, keys.run(id), { state: from });
    expect(await store.transition(id, to, 'requested')).toBe(legal);
    expect((await store.get(id))?.state).toBe(legal ? to : from);
  });

  test('the first start is remembered over a pause, and a finish has its time', async () => {
    const store = openStore();
    const id = await beginRun(store, 'a', 'paused', 'credentials');
    const at = NOW.toISOString();
    expect(await store.get(id)).toMatchObject({ state: 'paused', reason: 'credentials', startedAt: at });
    await store.transition(id, 'finished', null);
    expect(await store.get(id)).toMatchObject({ state: 'finished', reason: null, finishedAt: at });
  });
});

test('who asked for a state, and why, is known as long as the run is in it', async () => {
  const store = openStore();
  const id = await beginRun(store, 'a', 'running');
  const request = { by: 'Ann', at: NOW.toISOString(), why: 'a new file comes' };
  for (const next of ['running', 'finished'] as const) {
    await store.transition(id, 'paused', 'requested', request);
    expect(await store.get(id)).toMatchObject({ state: 'paused', request });
    await store.transition(id, next, null);
    expect((await store.get(id))?.request).toBeUndefined();
  }
});

test('a dead process’ lease ends in its time although Redis’ clock was set back an hour', async () => {
  const { redis, keys, store } = ownStore(own().redis);
  await setLease(redis, keys.run('r').lease, 'dead', 3_600_000);
  expect(await store.holdLease('r', 'b', 60_000)).toMatchObject({ isHeld: false });
  expect(await redis.pttl(keys.run('r').lease)).toBeLessThanOrEqual(60_000);
});

test('a service was reached once it has answered a row of any run, in whatever way', async () => {
  for (const outcome of ['created', 'rejected', 'denied', 'in-doubt', 'failed', 'invalid'] as const) {
    const { redis, keys, store } = ownStore(own().redis);
    const id = await beginRun(store, 'a', 'running');
    expect(await store.wasEverReached()).toBe(false);
    await setRecord(redis, keys.run(id), counted({ [outcome]: 1 }));
    expect(await store.wasEverReached(), outcome).toBe(outcome !== 'failed' && outcome !== 'invalid');
  }
});

test('a lease is held by one process until it is given back', async () => {
  const store = openStore();
  const hold = async (holder: string) => (await store.holdLease('r', holder, 60_000)).isHeld;
  expect([await hold('a'), await hold('b'), await hold('a')]).toEqual([true, false, true]);
  await store.dropLease('r', 'b');
  expect((await store.leaseOf('r'))?.holder).toBe('a');
  await store.dropLease('r', 'a');
  expect(await hold('b')).toBe(true);
});

test('a lease that nobody gave back tells who had it, once; one that was given back does not', async () => {
  const { redis, keys, store } = ownStore(own().redis);
  const takeUp = async (holder: string) => (await store.holdLease('r', holder, 60_000)).from;
  const lapse = () =>
    setLease(redis, keys.run('r').lease, '', 1).then(() =>
      until(async () => (await store.leaseOf('r')) === null),
    );
  const told = [await takeUp('a')];
  await lapse();
  told.push(await takeUp('b'), await takeUp('b'));
  await lapse();
  told.push(await takeUp('b'));
  await store.dropLease('r', 'b');
  told.push(await takeUp('c'));
  expect(told).toEqual(['', 'a', '', '', '']);
});

describe('a run that is paused for its window', () => {
  async function pausedFor(reason: 'window' | 'credentials') {
    const store = openStore();
    return { store, id: await beginRun(store, 'a', 'paused', reason) };
  }

  test('goes on for that reason, once', async () => {
    const { store, id } = await pausedFor('window');
    expect([await store.goOn(id, 'window'), await store.goOn(id, 'window')]).toEqual([true, false]);
    expect(await store.get(id)).toMatchObject({ state: 'running', reason: null });
  });

  test('and then by a person does not go on for it', async () => {
    const { store, id } = await pausedFor('window');
    expect(await store.transition(id, 'paused', 'requested')).toBe(true);
    expect(await store.goOn(id, 'window')).toBe(false);
    expect(await store.get(id)).toMatchObject({ state: 'paused', reason: 'requested' });
  });
});

describe('a run of a job that asks for approval', () => {
  const definition = jobDefinitionSchema.parse({ operation: 'subclient.create', approval: 'required' });
  const at = NOW.toISOString();

  test('is born waiting; nothing but an approval, or its end, leads out of that', async () => {
    const store = openStore();
    const run = newRun({ definition, target: 'http://127.0.0.1' });
    const { id } = await store.register(run);
    const born = { state: 'paused', reason: 'approval', registeredBy: OWN, startedAt: null };
    expect(await store.get(id)).toMatchObject(born);
    for (const to of RUN_STATES)
      if (to !== 'cancelled') expect(await store.transition(id, to, 'requested'), to).toBe(false);
    expect(await store.goOn(id, 'window')).toBe(false);
    await store.register(run);
    expect(await store.get(id)).toMatchObject(born);

    const approval = { by: 'bea', at, why: '' };
    expect([await store.approve(id, approval), await store.approve(id, approval)]).toEqual([true, false]);
    for (const [to, reason] of [
      ['paused', 'requested'],
      ['running', null],
    ] as const) {
      expect(await store.get(id)).toMatchObject({
        registeredBy: OWN,
        registeredVia: 'user',
        approval: { ...approval, via: 'user' },
      });
      expect(await store.transition(id, to, reason)).toBe(true);
    }
    const given = await store.register(newRun({ definition, target: 'http://127.0.0.1' }));
    expect(await store.transition(given.id, 'cancelled', null)).toBe(true);
    expect(await store.approve(given.id, approval)).toBe(false);
  });

  test.each([
    ['a rehearsal', { target: 'sandbox' }],
    ['a file without rows', { target: 'http://127.0.0.1', rows: 0 }],
  ])('%s waits for nobody: nothing of it is sent', async (_, over) => {
    const store = openStore();
    const { id } = await store.register(newRun({ definition, ...over }));
    expect(await store.get(id)).toMatchObject({ state: 'queued', reason: null });
  });
});

test('a machine ends no pause that a person has to look at, whatever it was when it asked', async () => {
  const { store, redis, keys } = ownStore(own().redis, NOW);
  const actor = { name: 'ci', via: 'machine' } as const;
  const ofMachine = createRunStore(redis, { ...keys, actor }, () => NOW);
  const went: string[] = [];
  for (const reason of reasonSchema.options) {
    const id = await beginRun(store, 'job', 'paused', reason);
    if (await ofMachine.transition(id, 'running', null)) went.push(reason);
    expect(await ofMachine.transition(id, 'cancelled', null)).toBe(true);
  }
  const kept = reasonSchema.options.filter((reason) => !went.includes(reason));
  expect(kept).toEqual(['same-refusal', 'unreadable-answers', 'approval', 'unusual', 'adopted']);
});
