import { describe, expect, test } from 'vitest';
import { createRunStore } from '../../../src/engine/ledger/run-store.ts';
import type { Reason, RunState } from '../../../src/model/run.ts';
import type { Entry } from '../../../src/runs/inbox/entry.ts';
import { busyJobs, createRest } from '../../../src/runs/inbox/look.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { beginRun, ownKeys } from '../../support/runs.ts';
import { entryOf, inboxOf, jobOf, newClaim } from './files.ts';

const REST_MS = 2_000;

function startRest(once = false) {
  const clock = { now: 0 };
  const rest = createRest({ restMs: REST_MS, once }, () => clock.now);
  const placed = (over: Partial<Entry> = {}, folder = '/in') => ({
    inbox: inboxOf([], { folder }),
    entry: entryOf('a.csv', over),
  });
  return {
    clock,
    rest,
    left: (over?: Partial<Entry>, folder?: string) => rest.left(placed(over, folder)),
  };
}

const GROWN = { stamp: '1:3:3' };

describe('an entry', () => {
  test('is at rest once nothing of it has changed for the whole time, by size, times or names', () => {
    const { clock, left } = startRest();
    const at = (now: number, over: Partial<Entry> = {}) => {
      clock.now = now;
      return left(over);
    };
    expect([at(0), at(1_500), at(1_500, GROWN), at(3_000, GROWN)]).toEqual([2_000, 500, 2_000, 500]);
    const renamed = { ...GROWN, changedMs: 2_000 };
    expect([at(3_000, renamed), at(5_000, renamed)]).toEqual([2_000, 0]);
  });

  test('that was away begins to rest anew', () => {
    const { clock, rest, left } = startRest();
    left();
    rest.tidy();
    rest.tidy();
    clock.now = 5_000;
    expect(left()).toBe(REST_MS);
  });

  test('rests apart from one of its name in another inbox', () => {
    const { clock, left } = startRest();
    left();
    clock.now = REST_MS;
    expect([left(), left({}, '/other')]).toEqual([0, REST_MS]);
  });

  test.each([
    ['a watcher that goes on', false, REST_MS],
    ['one that ends with its work', true, Number.POSITIVE_INFINITY],
  ])('that changes for half a minute is waited for by %s: %s, %d ms', (_, once, ms) => {
    const { clock, rest, left } = startRest(once);
    for (clock.now = 0; clock.now < 30_000; clock.now += 1_000, rest.tidy())
      expect(left({ stamp: `at ${clock.now}` })).toBe(REST_MS);
    expect(left({ stamp: 'once more' })).toBe(ms);
  });
});

const own = useOwnRedis();

describe('a job that a file in an inbox comes after', () => {
  const JOBS = [jobOf('subclients', {}), jobOf('payees', { files: 'payees*', after: 'subclients' })];
  const CLAIMED = [newClaim('/in', { job: 'subclients' })];

  /** A ledger, and what is in the way of the files of an inbox there. */
  function start() {
    const { redis } = own();
    const keys = ownKeys();
    const store = createRunStore(redis, keys, () => new Date());
    return {
      run: (job: string, to: RunState, reason: Reason | null = null) => beginRun(store, job, to, reason),
      async busy(file = 'payees-1.csv', claims: Parameters<typeof busyJobs>[1] = []) {
        const looks = [{ inbox: inboxOf(JOBS), entries: [entryOf(file)] }];
        const ledger = { redis, of: () => ({ keys, store }) };
        return [...(await busyJobs(looks, claims, ledger, 'sandbox'))];
      },
    };
  }

  test.each<[RunState, Reason | null, string]>([
    ['paused', 'credentials', 'paused (credentials)'],
    ['stopped', 'error-limit', 'stopped (error-limit)'],
  ])('is waited for while a run of it is %s, and told what goes on with it', async (to, reason, words) => {
    const s = start();
    const run = await s.run('subclients', to, reason);
    const held = `run ${run} is ${words}; to go on with it: onboard resume ${run}, or end it: onboard cancel ${run}`;
    expect(await s.busy()).toEqual([['subclients', held]]);
    expect(await s.busy('payees-1.csv', CLAIMED)).toEqual([['subclients', held]]);
  });

  test('is waited for while a run of it is queued or running, the oldest of which is named', async () => {
    const s = start();
    const run = await s.run('subclients', 'running');
    await s.run('subclients', 'queued');
    expect(await s.busy()).toEqual([['subclients', expect.stringContaining(`run ${run} is running`)]]);
  });

  test('is waited for while a file of it is taken and has no run yet', async () => {
    expect(await start().busy('payees-1.csv', CLAIMED)).toEqual([['subclients', 'a.csv is under way']]);
  });

  test('is not waited for once its runs are over or given up, nor where no file asks', async () => {
    const s = start();
    await s.run('subclients', 'finished');
    await s.run('subclients', 'cancelled');
    await s.run('payees', 'running');
    expect(await s.busy()).toEqual([]);
    await s.run('subclients', 'running');
    expect(await s.busy('other.csv')).toEqual([]);
  });
});
