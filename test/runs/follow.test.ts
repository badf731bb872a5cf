import fc from 'fast-check';
import { describe, expect, type TestContext, test } from 'vitest';
import { UsageError } from '../../src/lib/usage-error.ts';
import { noOutcomes, OUTCOMES, type Outcome, type OutcomeCounts } from '../../src/model/outcome.ts';
import type { Run } from '../../src/model/run.ts';
import type { RowChunk } from '../../src/readers/intake/chunks.ts';
import { followRun, isOverLimit } from '../../src/runs/follow.ts';
import type { RowSource } from '../../src/runs/rows.ts';
import { deferred } from '../support/deferred.ts';
import { useOwnRedis } from '../support/redis.ts';
import {
  closeChunk,
  holdChunk,
  inChunks,
  knownRun,
  loseChunk,
  misplaceChunk,
  openTestSession,
  rowsTo,
  startTestRun,
} from '../support/session.ts';
import { addCount, lose, restart } from '../support/stored.ts';
import { until } from '../support/until.ts';
import { settled } from './report/make-report.ts';

const own = useOwnRedis();
const LEASE_MS = 60_000;
/** More chunks than may be open at once: a reading of them goes on until it is told to stop. */
const MANY = 100;

type Setup = {
  readonly rows?: number;
  readonly definition?: object;
  /** Rows that were rejected before the run is taken up here. */
  readonly rejectedBefore?: number;
  readonly date?: () => Date;
  readonly now?: () => number;
  /** What a reading gives, counted from 1; without it the run's rows. */
  readonly read?: (reading: number, run: Run) => ReturnType<RowSource>;
};

/** A running run of chunks of one row, and what follows it; `onLook` sees every look at it, counted from 1. */
async function startFollowing({ onTestFinished }: TestContext, setup: Setup = {}) {
  const opened = await openTestSession(own(), onTestFinished);
  const { date = opened.clock.date, now = opened.clock.now } = setup;
  const session = { ...opened, clock: { date, now } };
  const { store } = session;
  const { rows = 3, definition: over = {}, rejectedBefore = 0 } = setup;
  const { run: begun, definition } = await startTestRun(session, { rows, definition: over });
  const k = session.ledger.of(begun.target).keys.run(begun.id);
  await addCount(session.ledger.redis, k, 'rejected', rejectedBefore);
  const run = await knownRun(store, begun.id);
  const counts = { readings: 0, underWay: 0, most: 0, looks: 0 };
  const source: RowSource = async () => {
    counts.readings += 1;
    const chunks = await (setup.read?.(counts.readings, run) ?? inChunks(rowsTo(rows)));
    return chunks === null ? null : counted(chunks);
  };
  async function* counted(chunks: AsyncIterable<RowChunk>) {
    counts.underWay += 1;
    counts.most = Math.max(counts.most, counts.underWay);
    try {
      yield* chunks;
    } finally {
      counts.underWay -= 1;
    }
  }
  const seen: Run[] = [];
  const follow = (onLook: (look: number, run: Run) => unknown = () => undefined) => {
    const onProgress = (looked: Run) => {
      counts.looks += 1;
      seen.push(looked);
      onLook(counts.looks, looked);
    };
    return followRun({ run, definition, rows: source, onProgress }, session);
  };
  return {
    session,
    store,
    run,
    id: run.id,
    follow,
    counts,
    seen,
    record: k.record,
    finish: () => store.transition(run.id, 'finished', null),
    cancel: () => store.transition(run.id, 'cancelled', null),
    settle: (outcome: Outcome, by: number) => addCount(session.ledger.redis, k, outcome, by),
    lease: () => store.leaseOf(run.id),
    told: () => session.io.stderr.text.split('\n').filter((line) => line !== ''),
  };
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
  test('is read, followed to its end, and its lease given back', async (context) => {
    const f = await startFollowing(context);
    expect(await f.follow((look) => look === 2 && f.finish())).toMatchObject({ id: f.id, state: 'finished' });
    expect([f.counts.readings, f.seen.at(-1)?.state, await f.lease()]).toEqual([1, 'finished', null]);
  });

  test('is held by its reader alone while it is followed', async (context) => {
    const f = await startFollowing(context, { rows: MANY });
    const taken: boolean[] = [];
    const look = async () => {
      taken.push((await f.store.holdLease(f.id, 'other', LEASE_MS)).isHeld);
      await f.finish();
    };
    await f.follow((n) => n === 3 && look());
    expect(taken).toEqual([false]);
  });

  test('and that is gone from the ledger is the user’s to look into', async (context) => {
    const f = await startFollowing(context, { rows: MANY });
    await expect(f.follow((look) => look === 3 && lose(f.session.ledger.redis, f.record))).rejects.toThrow(
      new UsageError(
        `Run ${f.id} is gone from the ledger: was its Redis emptied? What was sent may not be known here any more: ` +
          'look in the service for the rows of the file before it is loaded again.',
      ),
    );
  });
});

describe.concurrent('a run that another process reads', () => {
  test('is only watched, and is read from here once the other is gone', async (context) => {
    const f = await startFollowing(context);
    await f.store.holdLease(f.id, 'other', LEASE_MS);
    const before: number[] = [];
    const ended = await f.follow((look) => {
      if (look === 3) before.push(f.counts.readings);
      if (look === 3) void f.store.dropLease(f.id, 'other');
      if (f.counts.readings > 0) void f.finish();
    });
    expect([ended.state, before, f.counts.readings]).toEqual(['finished', [0], 1]);
  });

  test('keeps its reader’s lease when this process goes', async (context) => {
    const f = await startFollowing(context);
    await f.store.holdLease(f.id, 'other', LEASE_MS);
    const ended = await f.follow((look) => look === 2 && f.session.interruption.abort());
    expect(ended).toMatchObject({ state: 'running', reason: null });
    expect([f.counts.readings, (await f.lease())?.holder]).toEqual([0, 'other']);
  });
});

test.concurrent('a process that is interrupted pauses the run also before its first reading began', async (context) => {
  const f = await startFollowing(context);
  f.session.interruption.abort();
  expect(await f.follow()).toMatchObject({ state: 'paused', reason: 'interrupted' });
  expect([f.counts.readings, await f.lease()]).toEqual([0, null]);
});

describe.concurrent('a reading', () => {
  test('that is still on when the run ends is stopped and waited for', async (context) => {
    const slow = deferred<void>();
    const f = await startFollowing(context, {
      read: async () =>
        (async function* () {
          await slow.promise;
          yield* inChunks(rowsTo(3));
        })(),
    });
    let isOver = false;
    const followed = f
      .follow((look) => look === 2 && f.finish())
      .then(() => {
        isOver = true;
      });
    await until(() => f.seen.at(-1)?.state === 'finished');
    await f.store.get(f.id);
    expect(isOver).toBe(false);
    slow.resolve();
    await followed;
    expect(f.counts.underWay).toBe(0);
  });

  test('that the user has to put right pauses the run, and the user hears of it', async (context) => {
    const f = await startFollowing(context, {
      read: () => Promise.reject(new UsageError('a.csv: the file is gone')),
    });
    await expect(f.follow()).rejects.toThrow(new UsageError('a.csv: the file is gone'));
    expect(await f.store.get(f.id)).toMatchObject({ state: 'paused', reason: 'file-changed' });
    expect(await f.lease()).toBeNull();
  });

  test('that meets a machine in trouble is logged and begun again', async (context) => {
    const f = await startFollowing(context, {
      read: async (reading) => {
        if (reading === 1) throw new Error('the machine is in trouble');
        return inChunks(rowsTo(3));
      },
    });
    expect(await f.follow(() => f.counts.readings === 2 && f.finish())).toMatchObject({ state: 'finished' });
    expect(f.counts.readings).toBe(2);
    expect(f.session.logged.text).toMatch(
      /"problem":"the machine is in trouble","msg":"the run can not be followed right now"/,
    );
  });
});

describe.concurrent('a run that is cancelled', () => {
  test('and wound up by another process is only watched', async (context) => {
    const f = await startFollowing(context);
    await f.cancel();
    await f.store.holdLease(f.id, 'other', LEASE_MS);
    const close = async (chunk: number) => closeChunk(f.session, f.run, chunk, [settled(chunk, 'cancelled')]);
    const ended = await f.follow((look) => look === 4 && Promise.all([close(1), close(2), close(3)]));
    expect(ended).toMatchObject({ outcomes: { cancelled: 3 } });
    expect(f.counts.readings).toBe(0);
  });

  test('stays cancelled where its winding up is interrupted', async (context) => {
    const f = await startFollowing(context);
    const row = { kind: 'cells' as const, row: 1, line: 2, cells: ['K1', 'Company 1'] };
    await f.session.queue.add([{ run: f.id, chunk: 1, rows: [{ row, claim: { kind: 'claimed' } }] }]);
    const held = await holdChunk(f.session);
    await held.taken;
    await f.cancel();
    const ended = await f.follow((look) => look === 3 && f.session.interruption.abort());
    expect(ended).toMatchObject({ state: 'cancelled', reason: null, outcomes: noOutcomes() });
    expect(await f.lease()).toBeNull();
  });
});

test.concurrent('a run is read again, from its beginning, where Redis may have lost its chunks', async (context) => {
  const f = await startFollowing(context);
  const { redis, of } = f.session.ledger;
  await f.follow((look) => {
    if (look === 3) void restart(redis, of(f.run.target).keys);
    if (f.counts.readings === 2) void f.finish();
  });
  expect(f.counts.readings).toBe(2);
});

test('the error limit counts what came since the run was taken up: a person who goes on has accepted the rest', async (context) => {
  const f = await startFollowing(context, { definition: { stopAfter: 3 }, rejectedBefore: 3 });
  const ended = await f.follow((look) => look === 3 && f.settle('rejected', 3));
  expect(ended).toMatchObject({ state: 'stopped', outcomes: { rejected: 6 } });
  expect(f.counts.looks).toBeGreaterThan(3);
});

describe.concurrent('a run in which nothing moves for 20 s', () => {
  const stuck = { now: steppingClock(21_000) };

  test('is read again where the queue has lost a chunk', async (context) => {
    const f = await startFollowing(context, stuck);
    const ended = await f.follow(async (look) => {
      if (look === 2) await until(() => f.session.queue.has(f.id, 3));
      if (look === 2) await loseChunk(f.session, f.run, 2);
      if (f.counts.readings === 2) await f.finish();
    });
    expect([ended.state, f.counts.readings]).toEqual(['finished', 2]);
  });

  test('is read again where a chunk is in none of the lists of the queue, which still knows it, and says what it waits for', async (context) => {
    const f = await startFollowing(context, stuck);
    const ended = await f.follow(async (look) => {
      if (look === 2) await until(() => f.session.queue.has(f.id, 3));
      if (look === 2) await misplaceChunk(f.session, f.run, 2);
      if (f.counts.readings === 2 && (await f.session.queue.has(f.id, 2))) await f.finish();
    });
    expect([ended.state, f.counts.readings]).toEqual(['finished', 2]);
    expect(f.told()).toContainEqual(expect.stringMatching(/ has stood still for a while, and waits for \w/));
  });

  test('is not read again where the queue has every chunk', async (context) => {
    const f = await startFollowing(context, stuck);
    await f.follow((look) => look === 8 && f.finish());
    expect(f.counts.readings).toBe(1);
  });

  test('has a reading that is still under way ended before the next begins', async (context) => {
    const f = await startFollowing(context, { rows: MANY, ...stuck });
    await f.follow(async (look) => {
      if (look === 2) await until(() => f.session.queue.has(f.id, 8));
      if (look === 2) await loseChunk(f.session, f.run, 2);
      if (f.counts.readings === 2) await f.finish();
    });
    expect([f.counts.readings >= 2, f.counts.most, f.counts.underWay]).toEqual([true, 1, 0]);
  });
});

describe.concurrent('a run whose window', () => {
  const CLOSED = new Date('2026-11-21T12:00:00Z');
  const OPEN = new Date('2026-11-21T22:00:00Z');
  const TEXT = '22:00-05:00 Europe/London';

  /** With a clock that the test sets. */
  async function startInWindow(context: TestContext, at: Date, rows = 3) {
    const clock = { at };
    const setup = { rows, definition: { window: TEXT }, date: () => clock.at };
    return { clock, f: await startFollowing(context, setup) };
  }

  test('is closed waits, paused and held by this process, and goes on by itself when it opens', async (context) => {
    const { clock, f } = await startInWindow(context, CLOSED);
    const taken: unknown[] = [];
    const lease = async () => {
      taken.push((await f.store.holdLease(f.id, 'other', LEASE_MS)).isHeld);
      clock.at = OPEN;
    };
    const ended = await f.follow(async (look) => {
      if (look === 3) await lease();
      if (f.counts.readings > 0) await f.finish();
    });
    expect(ended).toMatchObject({ state: 'finished' });
    const states = f.seen.slice(0, 3).map(({ state, reason }) => `${state} ${reason}`);
    expect(states).toEqual(['running null', 'paused window', 'paused window']);
    expect([taken, f.counts.readings]).toEqual([[false], 1]);
    expect(f.told()).toEqual([
      `The window ${TEXT} is closed: goes on at 2026-11-21 22:00 Europe/London.`,
      `The window ${TEXT} is open: goes on.`,
    ]);
  });

  test('closes while its file is read is paused, its reading ended, and read again when it opens', async (context) => {
    const { clock, f } = await startInWindow(context, OPEN, MANY);
    const ended = await f.follow((look, run) => {
      if (look === 3) clock.at = CLOSED;
      if (run.reason === 'window') clock.at = OPEN;
      if (f.counts.readings === 2) void f.finish();
    });
    expect(ended).toMatchObject({ state: 'finished' });
    expect([f.counts.readings, f.counts.most, f.counts.underWay, f.told().length]).toEqual([2, 1, 0, 2]);
  });

  test('is closed and that a person pauses does not go on when it opens', async (context) => {
    const { clock, f } = await startInWindow(context, CLOSED);
    const pause = async () => {
      await f.store.transition(f.id, 'paused', 'requested');
      clock.at = OPEN;
    };
    const ended = await f.follow((look) => look === 3 && pause());
    expect(ended).toMatchObject({ state: 'paused', reason: 'requested' });
    expect(f.counts.readings).toBe(0);
  });

  test('is closed and that another process holds is let go on by that one only', async (context) => {
    const { clock, f } = await startInWindow(context, CLOSED);
    await f.store.holdLease(f.id, 'other', LEASE_MS);
    await f.store.transition(f.id, 'paused', 'window');
    const ended = await f.follow((look) => {
      if (look === 2) clock.at = OPEN;
      if (look === 4) f.session.interruption.abort();
    });
    expect(ended).toMatchObject({ state: 'paused', reason: 'window' });
    expect([f.counts.looks, (await f.lease())?.holder]).toEqual([4, 'other']);
  });
});

test.concurrent('a run that was stopped for another reason has no chunk go alone when it goes on', async (context) => {
  const f = await startFollowing(context);
  await f.store.transition(f.id, 'stopped', 'error-limit');
  await f.store.transition(f.id, 'running', null);
  expect(await f.store.canaryOf(f.id)).toBe('');
});

const counts = (over: Partial<OutcomeCounts>): OutcomeCounts => ({ ...noOutcomes(), ...over });

test.each([
  ['no limit', undefined, counts({ failed: 1_000_000 }), false],
  ['a count, one below', 5, counts({ rejected: 2, failed: 2, created: 100 }), false],
  ['a count, reached over several outcomes', 5, counts({ rejected: 2, failed: 2, invalid: 1 }), true],
  ['a count, passed', 5, counts({ denied: 9 }), true],
  ['rows in doubt count', 1, counts({ 'in-doubt': 1 }), true],
  ['successes and skipped rows don’t', 1, counts({ created: 9, updated: 9, skipped: 9, listed: 9 }), false],
  ['a share, below', '20%', counts({ created: 81, failed: 19 }), false],
  ['a share, reached', '20%', counts({ created: 80, failed: 20 }), true],
  ['a share with a fraction', '2.5%', counts({ created: 975, failed: 25 }), true],
  ['a share with a fraction, below', '2.5%', counts({ created: 976, failed: 24 }), false],
  ['a share of too few rows means nothing', '20%', counts({ failed: 19 }), false],
  ['a share of just enough rows', '20%', counts({ failed: 20 }), true],
  ['100% is never reached', '100%', counts({ failed: 50 }), false],
  ['0%: nothing has failed', '0%', counts({ created: 500 }), false],
  ['0%: one has', '0%', counts({ created: 500, failed: 1 }), true],
  ['nothing has ended yet', '20%', noOutcomes(), false],
] as const)('%s', (_, stopAfter, outcomes, isOver) => {
  expect(isOverLimit(outcomes, stopAfter)).toBe(isOver);
});

test('once over the limit, one more row without success leaves it so', () => {
  const numbers = fc.array(fc.nat(30), { minLength: OUTCOMES.length, maxLength: OUTCOMES.length });
  fc.assert(
    fc.property(numbers, fc.integer({ min: 0, max: 100 }), (list, share) => {
      const outcomes = counts(Object.fromEntries(OUTCOMES.map((outcome, i) => [outcome, list[i] ?? 0])));
      fc.pre(isOverLimit(outcomes, `${share}%`));
      expect(isOverLimit({ ...outcomes, failed: outcomes.failed + 1 }, `${share}%`)).toBe(true);
    }),
  );
});
