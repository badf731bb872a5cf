import { describe, expect, test } from 'vitest';
import { createJobWindow } from '../../src/delivery/job-window.ts';
import { createRunStore } from '../../src/ledger/run-store.ts';
import { UsageError } from '../../src/lib/usage-error.ts';
import { noOutcomes } from '../../src/model/outcome.ts';
import type { Run } from '../../src/model/run.ts';
import { type FollowEdges, followRun } from '../../src/runs/follow-run.ts';
import type { IngestEnd } from '../../src/runs/ingest-run.ts';
import { deferred } from '../support/deferred.ts';
import { useOwnRedis } from '../support/redis.ts';
import { newRun, ownKeys } from '../support/runs.ts';

const own = useOwnRedis();
const LEASE_MS = 60_000;

/** A running run, and what follows it; `onProgress` sees every look at it, counted from 1. */
async function startFollowing(
  over: Partial<Omit<FollowEdges, 'onProgress'>> & {
    readonly onProgress?: (look: number, run: Run) => Promise<void> | void;
  } = {},
) {
  const keys = ownKeys();
  const store = createRunStore(own().redis, keys, () => new Date());
  const { id } = await store.register(newRun({ rows: 1000 }));
  await store.transition(id, 'running', null);
  const readings: AbortSignal[] = [];
  const counts = { sweeps: 0, looks: 0 };
  const interruption = new AbortController();
  const { onProgress, ingest, sweep, ...rest } = over;
  const follow = () =>
    followRun({
      id,
      store,
      holder: 'me',
      stopAfter: undefined,
      window: null,
      onWindow: () => undefined,
      ingest(signal) {
        readings.push(signal);
        return ingest?.(signal) ?? Promise.resolve('complete');
      },
      async sweep() {
        counts.sweeps += 1;
        return (await sweep?.()) ?? false;
      },
      onProgress(run) {
        counts.looks += 1;
        void onProgress?.(counts.looks, run);
      },
      before: noOutcomes(),
      recoveries: () => 0,
      verify: async () => {},
      windUp: async () => 'complete',
      onTrouble: () => undefined,
      now: () => 0,
      interrupted: interruption.signal,
      ...rest,
    });
  const finish = () => store.transition(id, 'finished', null);
  const settle = (outcome: string, by: number) =>
    own().redis.hincrby(keys.run(id).record, `o:${outcome}`, by);
  return { id, store, follow, finish, settle, readings, counts, interruption };
}

/** A reading that goes on until it is told to stop. */
function readsOn(signal: AbortSignal): Promise<IngestEnd> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve('stopped')));
}

/** A clock that is `step` ms further at each look. */
function steppingClock(step: number): () => number {
  let ms = 0;
  return () => {
    ms += step;
    return ms;
  };
}

describe.concurrent('a run that nobody reads', () => {
  test('is read, followed to its end, and its lease given back', async () => {
    const box = { finish: async () => false };
    const seen: string[] = [];
    const f = await startFollowing({
      onProgress: (look, run) => {
        seen.push(run.state);
        if (look === 2) void box.finish();
      },
    });
    box.finish = f.finish;
    expect(await f.follow()).toMatchObject({ id: f.id, state: 'finished' });
    expect([f.readings.length, seen.at(-1), await f.store.hasLease(f.id)]).toEqual([1, 'finished', false]);
  });

  test('is held by its reader alone while it is followed', async () => {
    const box: { look?: () => Promise<void> } = {};
    const f = await startFollowing({
      ingest: readsOn,
      onProgress: (look) => void (look === 3 && box.look?.()),
    });
    const taken: boolean[] = [];
    box.look = async () => {
      taken.push(await f.store.holdLease(f.id, 'other', LEASE_MS));
      await f.finish();
    };
    await f.follow();
    expect(taken).toEqual([false]);
  });

  test('that has ended already is not read at all', async () => {
    const f = await startFollowing();
    await f.finish();
    expect(await f.follow()).toMatchObject({ state: 'finished' });
    expect([f.readings.length, f.counts.looks]).toEqual([0, 1]);
  });

  test('and that is gone from the ledger is the user’s to look into', async () => {
    const f = await startFollowing({ id: 'run-gone' });
    await expect(f.follow()).rejects.toThrow(
      new UsageError('Run run-gone is gone from the ledger: was its Redis emptied?'),
    );
  });
});

describe.concurrent('a run that another process reads', () => {
  test('is only watched, and is read from here once the other is gone', async () => {
    const box: { gone?: () => Promise<void> } = {};
    const readingsBefore: number[] = [];
    const f = await startFollowing({
      ingest: async () => {
        await f.finish();
        return 'complete';
      },
      onProgress: (look) => {
        if (look !== 3) return;
        readingsBefore.push(f.readings.length);
        void box.gone?.();
      },
    });
    await f.store.holdLease(f.id, 'other', LEASE_MS);
    box.gone = () => f.store.dropLease(f.id, 'other');
    expect(await f.follow()).toMatchObject({ state: 'finished' });
    expect([readingsBefore, f.readings.length]).toEqual([[0], 1]);
  });

  test('keeps its reader’s lease when this process goes', async () => {
    const f = await startFollowing({ onProgress: (look) => void (look === 2 && f.interruption.abort()) });
    await f.store.holdLease(f.id, 'other', LEASE_MS);
    expect(await f.follow()).toMatchObject({ state: 'running', reason: null });
    expect([f.readings.length, await f.store.hasLease(f.id)]).toEqual([0, true]);
  });
});

describe.concurrent('a process that is interrupted', () => {
  test('pauses the run that it reads, and ends its reading first', async () => {
    const f = await startFollowing({
      ingest: readsOn,
      onProgress: (look) => void (look === 2 && f.interruption.abort()),
    });
    expect(await f.follow()).toMatchObject({ state: 'paused', reason: 'interrupted' });
    expect(f.readings.map((signal) => signal.aborted)).toEqual([true]);
    expect(await f.store.hasLease(f.id)).toBe(false);
  });

  test('leaves the state of a run that has ended meanwhile', async () => {
    const f = await startFollowing();
    await f.finish();
    f.interruption.abort();
    expect(await f.follow()).toMatchObject({ state: 'finished', reason: null });
  });
});

describe.concurrent('a reading', () => {
  test('that is still on when the run ends is stopped and waited for', async () => {
    const slow = deferred<IngestEnd>();
    const stopped = deferred<void>();
    const f = await startFollowing({
      ingest: (signal) => {
        signal.addEventListener('abort', () => stopped.resolve());
        return slow.promise;
      },
      onProgress: (look) => void (look === 2 && f.finish()),
    });
    let isOver = false;
    const followed = f.follow().then(() => {
      isOver = true;
    });
    await stopped.promise;
    await f.store.get(f.id);
    expect(isOver).toBe(false);
    slow.resolve('stopped');
    await followed;
  });

  test('that finds other rows than were surveyed pauses the run', async () => {
    const f = await startFollowing({ ingest: async () => 'file-changed' });
    expect(await f.follow()).toMatchObject({ state: 'paused', reason: 'file-changed' });
  });

  test('that the user has to mend pauses the run, and the user hears of it', async () => {
    const f = await startFollowing({
      ingest: () => Promise.reject(new UsageError('a.csv: the file is gone')),
    });
    await expect(f.follow()).rejects.toThrow(new UsageError('a.csv: the file is gone'));
    expect(await f.store.get(f.id)).toMatchObject({ state: 'paused', reason: 'file-changed' });
    expect(await f.store.hasLease(f.id)).toBe(false);
  });

  test('that meets a machine in trouble is told of and begun again', async () => {
    const troubles: string[] = [];
    const f = await startFollowing({
      ingest: async () => {
        if (f.readings.length === 1) throw new Error('OOM command not allowed');
        await f.finish();
        return 'complete';
      },
      onTrouble: (what, error) => void troubles.push(`${what}: ${error.message}`),
    });
    expect(await f.follow()).toMatchObject({ state: 'finished' });
    expect(f.readings).toHaveLength(2);
    expect(troubles).toEqual(['the run can not be followed right now: OOM command not allowed']);
  });
});

describe.concurrent('a run that is cancelled', () => {
  const cancelledWith = (f: { settle(outcome: string, by: number): Promise<number> }) => async () => {
    await f.settle('cancelled', 1000);
    return 'complete' as const;
  };

  test('while it is read is wound up instead, and followed until every row has its outcome', async () => {
    const box: { cancel?: () => Promise<boolean>; windUp?: () => Promise<IngestEnd> } = {};
    const seen: number[] = [];
    const f = await startFollowing({
      ingest: readsOn,
      windUp: async () => box.windUp?.() ?? 'complete',
      onProgress(look, run) {
        seen.push(run.outcomes.cancelled);
        if (look === 3) void box.cancel?.();
      },
    });
    box.cancel = () => f.store.transition(f.id, 'cancelled', null);
    box.windUp = cancelledWith(f);
    expect(await f.follow()).toMatchObject({ state: 'cancelled', outcomes: { cancelled: 1000 } });
    expect(f.readings.map((signal) => signal.aborted)).toEqual([true]);
    expect([seen.at(-1), await f.store.hasLease(f.id)]).toEqual([1000, false]);
  });

  test('after its file could not be read any more is wound up all the same', async () => {
    const box: { cancel?: () => Promise<boolean>; windUp?: () => Promise<IngestEnd> } = {};
    const f = await startFollowing({
      ingest: async () => {
        await box.cancel?.();
        throw new UsageError('a.csv: the file is gone');
      },
      windUp: async () => box.windUp?.() ?? 'complete',
    });
    box.cancel = () => f.store.transition(f.id, 'cancelled', null);
    box.windUp = cancelledWith(f);
    expect(await f.follow()).toMatchObject({ state: 'cancelled', outcomes: { cancelled: 1000 } });
  });

  test('and wound up by another process is only watched', async () => {
    const windUps: string[] = [];
    const box: { end?: () => Promise<unknown> } = {};
    const f = await startFollowing({
      windUp: async () => {
        windUps.push('here');
        return 'complete';
      },
      onProgress: (look) => void (look === 4 && box.end?.()),
    });
    await f.store.transition(f.id, 'cancelled', null);
    await f.store.holdLease(f.id, 'other', LEASE_MS);
    box.end = cancelledWith(f);
    expect(await f.follow()).toMatchObject({ outcomes: { cancelled: 1000 } });
    expect([windUps, f.counts.looks >= 4]).toEqual([[], true]);
  });

  test('stays cancelled where its winding up is interrupted', async () => {
    const f = await startFollowing({
      windUp: readsOn,
      onProgress: (look) => void (look === 3 && f.interruption.abort()),
    });
    await f.store.transition(f.id, 'cancelled', null);
    expect(await f.follow()).toMatchObject({ state: 'cancelled', reason: null, outcomes: noOutcomes() });
    expect(await f.store.hasLease(f.id)).toBe(false);
  });
});

describe.concurrent('the error limit', () => {
  test.each([
    [3, 'stopped', 'error-limit'],
    ['1%', 'stopped', 'error-limit'],
    [4, 'finished', null],
    [undefined, 'finished', null],
  ] as const)('of %s, with 3 of 30 rows without success: %s', async (stopAfter, state, reason) => {
    const f = await startFollowing({ stopAfter, onProgress: (look) => void (look === 3 && f.finish()) });
    await f.settle('rejected', 2);
    await f.settle('invalid', 1);
    await f.settle('created', 27);
    expect(await f.follow()).toMatchObject({ state, reason });
  });

  test('counts what came since the run was taken up: a person who goes on has accepted the rest', async () => {
    const f = await startFollowing({
      stopAfter: 3,
      before: { ...noOutcomes(), rejected: 3 },
      onProgress: (look) => void (look === 2 && f.settle('rejected', 3)),
    });
    await f.settle('rejected', 3);
    expect(await f.follow()).toMatchObject({ state: 'stopped', outcomes: { rejected: 6 } });
    expect(f.counts.looks).toBeGreaterThan(2);
  });
});

describe.concurrent('a run in which nothing moves for 20 s', () => {
  test('is swept, and its file read again where chunks are missing', async () => {
    const f = await startFollowing({
      now: steppingClock(21_000),
      sweep: async () => f.counts.sweeps === 1,
      onProgress: (look) => void (look === 4 && f.finish()),
    });
    await f.follow();
    expect(f.counts.sweeps).toBeGreaterThanOrEqual(2);
    expect(f.readings).toHaveLength(2);
  });

  test('is not read again where the queue has every chunk', async () => {
    const f = await startFollowing({
      now: steppingClock(21_000),
      onProgress: (look) => void (look === 4 && f.finish()),
    });
    await f.follow();
    expect(f.counts.sweeps).toBeGreaterThanOrEqual(2);
    expect(f.readings).toHaveLength(1);
  });

  test('has a reading that is still under way ended before the next begins', async () => {
    let underWay = 0;
    let most = 0;
    const f = await startFollowing({
      ingest: async (signal) => {
        underWay += 1;
        most = Math.max(most, underWay);
        await readsOn(signal);
        underWay -= 1;
        return 'stopped';
      },
      now: steppingClock(21_000),
      sweep: async () => true,
      onProgress: (look) => void (look === 5 && f.finish()),
    });
    await f.follow();
    expect(f.readings.length).toBeGreaterThanOrEqual(2);
    expect([most, underWay, f.readings.every((signal) => signal.aborted)]).toEqual([1, 0, true]);
  });

  test('and one in which rows are settled is left alone', async () => {
    const f = await startFollowing({
      // Over the whole time far more than 20 s, between two changes less.
      now: steppingClock(6_000),
      onProgress: (look) => void (look === 5 ? f.finish() : f.settle('created', 1)),
    });
    await f.follow();
    expect([f.counts.sweeps, f.readings.length]).toEqual([0, 1]);
  });
});

describe.concurrent('a run whose window', () => {
  const CLOSED = new Date('2026-11-21T12:00:00Z');
  const OPEN = new Date('2026-11-21T22:00:00Z');
  const TEXT = '22:00-05:00 Europe/London';

  /** A clock that the test sets, and what the user is told. */
  function startClock(at: Date) {
    const clock = { at };
    const told: string[] = [];
    const window = createJobWindow(TEXT, () => clock.at);
    return { clock, told, edges: { window, onWindow: (words: string) => void told.push(words) } };
  }

  test('is closed waits, paused and held by this process, and goes on by itself when it opens', async () => {
    const { clock, told, edges } = startClock(CLOSED);
    const seen: string[] = [];
    const box: { lease?: () => Promise<unknown>; finish?: () => void } = {};
    const f = await startFollowing({
      ...edges,
      ingest: async () => {
        box.finish?.();
        return 'complete';
      },
      onProgress(look, run) {
        seen.push(`${run.state} ${run.reason}`);
        if (look === 3) void box.lease?.().then(() => (clock.at = OPEN));
      },
    });
    const taken: unknown[] = [];
    box.lease = async () => taken.push(await f.store.holdLease(f.id, 'other', LEASE_MS));
    box.finish = () => void f.finish();
    expect(await f.follow()).toMatchObject({ state: 'finished' });
    expect(seen.slice(0, 3)).toEqual(['running null', 'paused window', 'paused window']);
    expect([taken, f.readings.length]).toEqual([[false], 1]);
    expect(told).toEqual([
      `The window ${TEXT} is closed: goes on at 2026-11-21 22:00 Europe/London.`,
      `The window ${TEXT} is open: goes on.`,
    ]);
  });

  test('closes while its file is read is paused, its reading ended, and read again when it opens', async () => {
    const { clock, told, edges } = startClock(OPEN);
    const f = await startFollowing({
      ...edges,
      ingest: async (signal) => {
        if (f.readings.length === 1) return readsOn(signal);
        await f.finish();
        return 'complete';
      },
      onProgress(look, run) {
        if (look === 2) clock.at = CLOSED;
        if (run.reason === 'window') clock.at = OPEN;
      },
    });
    expect(await f.follow()).toMatchObject({ state: 'finished' });
    expect(f.readings.map((signal) => signal.aborted)).toEqual([true, expect.any(Boolean)]);
    expect(told).toHaveLength(2);
  });

  test('is closed and whose process is interrupted stays paused for it, for the next one to go on with', async () => {
    const { told, edges } = startClock(CLOSED);
    const f = await startFollowing({
      ...edges,
      onProgress: (look) => void (look === 3 && f.interruption.abort()),
    });
    expect(await f.follow()).toMatchObject({ state: 'paused', reason: 'window' });
    expect([f.readings.length, told.length, await f.store.hasLease(f.id)]).toEqual([0, 1, false]);
  });

  test('is closed and that a person pauses does not go on when it opens', async () => {
    const { clock, edges } = startClock(CLOSED);
    const f = await startFollowing({
      ...edges,
      onProgress(look) {
        if (look === 3) void f.store.transition(f.id, 'paused', 'requested').then(() => (clock.at = OPEN));
      },
    });
    expect(await f.follow()).toMatchObject({ state: 'paused', reason: 'requested' });
    expect(f.readings).toHaveLength(0);
  });

  test('is closed and that another process holds is let go on by that one only', async () => {
    const { clock, edges } = startClock(CLOSED);
    const seen: string[] = [];
    const f = await startFollowing({
      ...edges,
      onProgress(look, run) {
        seen.push(run.state);
        if (look === 2) clock.at = OPEN;
        if (look === 4) f.interruption.abort();
      },
    });
    await f.store.holdLease(f.id, 'other', LEASE_MS);
    await f.store.transition(f.id, 'paused', 'window');
    expect(await f.follow()).toMatchObject({ state: 'paused', reason: 'window' });
    expect([seen, await f.store.hasLease(f.id)]).toEqual([['paused', 'paused', 'paused', 'paused'], true]);
  });

  test('is closed and that is cancelled is wound up all the same', async () => {
    const { edges } = startClock(CLOSED);
    const f = await startFollowing({
      ...edges,
      windUp: async () => {
        await f.settle('cancelled', 1000);
        return 'complete';
      },
      onProgress: (look) => void (look === 3 && f.store.transition(f.id, 'cancelled', null)),
    });
    expect(await f.follow()).toMatchObject({ state: 'cancelled', outcomes: { cancelled: 1000 } });
  });
});

test('a run whose canary did not succeed is stopped, and a person may let it go on', async () => {
  const f = await startFollowing({ ingest: async () => 'canary' });
  expect(await f.follow()).toMatchObject({ state: 'stopped', reason: 'canary' });
  const before = await f.store.isCanaryOverruled(f.id);
  await f.store.transition(f.id, 'running', null);
  expect([before, await f.store.isCanaryOverruled(f.id)]).toEqual([false, true]);
});

test('a run that was stopped for another reason has not overruled its canary when it goes on', async () => {
  const f = await startFollowing();
  await f.store.transition(f.id, 'stopped', 'error-limit');
  await f.store.transition(f.id, 'running', null);
  expect(await f.store.isCanaryOverruled(f.id)).toBe(false);
});
