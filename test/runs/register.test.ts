import { expect, test } from 'vitest';
import { createRunStore } from '../../src/engine/ledger/run-store.ts';
import type { RunState } from '../../src/model/run.ts';
import { beginFile, waitForJobs } from '../../src/runs/register.ts';
import { memoryIo } from '../faces/cli/memory-io.ts';
import { useOwnRedis } from '../support/redis.ts';
import { beginRun, newRun, ownKeys } from '../support/runs.ts';
import { openTestSession } from '../support/session.ts';
import { until } from '../support/until.ts';

const own = useOwnRedis();

/** A ledger of one target, and a wait for the job `subclients` in it. */
function startWait() {
  const keys = ownKeys();
  const store = createRunStore(own().redis, keys, () => new Date());
  const interruption = new AbortController();
  const io = memoryIo({ interrupted: interruption.signal });
  const ledger = { redis: own().redis, of: () => ({ keys, store }) };
  const state = { over: false };
  return {
    store,
    io,
    interruption,
    state,
    run: (job: string, to: RunState) => beginRun(store, job, to),
    wait: async () => {
      const gone = await waitForJobs(['subclients'], 'sandbox', { ledger, io });
      state.over = true;
      return gone;
    },
  };
}

test('nothing is waited for where the runs of those jobs are over and others are not', async () => {
  const w = startWait();
  await w.run('subclients', 'finished');
  await w.run('subclients', 'cancelled');
  await w.run('payees', 'running');
  expect([await w.wait(), w.io.stderr.text]).toEqual([true, '']);
});

test('a run that is under way is named once and waited for, also one that begins meanwhile', async () => {
  const w = startWait();
  const first = await w.run('subclients', 'running');
  await w.store.holdLease(first, 'somebody', 60_000);
  const waiting = w.wait();
  await until(() => w.io.stderr.text !== '');
  const second = await w.run('subclients', 'queued');
  await w.store.transition(first, 'finished', null);
  await until(() => w.io.stderr.text.includes(second));
  expect(w.state.over).toBe(false);
  await w.store.transition(second, 'finished', null);
  expect(await waiting).toBe(true);
  expect(w.io.stderr.text.split('\n').filter((line) => line.startsWith('Waiting'))).toEqual([
    `Waiting for run ${first} of subclients (running): this job comes after that one.`,
    `Waiting for run ${second} of subclients (queued, owner gone): this job comes after that one.`,
  ]);
});

test('a run that stands still is named with what goes on with it, and what ends it', async () => {
  const w = startWait();
  const id = await w.run('subclients', 'paused');
  const waiting = w.wait();
  await until(() => w.io.stderr.text.includes('cancel'));
  w.interruption.abort();
  await waiting;
  expect(w.io.stderr.text.trim().split('\n')).toEqual([
    `Waiting for run ${id} of subclients (paused): this job comes after that one.`,
    `To go on with it: onboard resume ${id}`,
    `  or end it: onboard cancel ${id}`,
  ]);
});

test('a file that a finished run has taken is told of with that run, and nothing is sent', async ({
  onTestFinished,
}) => {
  const session = await openTestSession(own(), onTestFinished);
  const { facts, job: name, definition } = newRun();
  const job = { name, definition };
  const check = async () => undefined;
  const file = { facts, job, target: session.service.target, again: false, by: 'ann', check };
  const first = await beginFile(file, session);
  await session.store.transition(first.id, 'finished', null);
  expect(await beginFile(file, session)).toMatchObject({ id: first.id, state: 'finished' });
  expect(session.io.stderr.text).toMatch(
    new RegExp(
      `^This file was already loaded, as run ${first.id} \\(20.*Z\\): nothing is sent\\. .* --again$`,
      'm',
    ),
  );
  expect((await beginFile({ ...file, again: true }, session)).id).not.toBe(first.id);
});

test('a wait that is interrupted ends at once and says so', async () => {
  const w = startWait();
  await w.run('subclients', 'running');
  const waiting = w.wait();
  await until(() => w.io.stderr.text !== '');
  w.interruption.abort();
  expect(await waiting).toBe(false);
});
