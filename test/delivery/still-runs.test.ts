import { describe, expect, test } from 'vitest';
import { createStillRuns, waitWhileRunning } from '../../src/delivery/still-runs.ts';
import { deferred } from '../support/deferred.ts';

const FAR_TOO_LONG_MS = 86_400_000;
const NEVER = new AbortController().signal;
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A clock and a run's state that the test sets, and how often the state was read. */
function startLooks(state: string | null = 'running') {
  const world = { state, now: 0, reads: 0 };
  const read = async () => {
    world.reads += 1;
    return world.state;
  };
  return { world, stillRuns: createStillRuns(read, () => world.now) };
}

describe('the look at the run', () => {
  test('is one a second, however many rows ask', async () => {
    const { world, stillRuns } = startLooks();
    for (const now of [0, 0, 400, 999]) {
      world.now = now;
      expect([stillRuns(), stillRuns()]).toEqual([true, true]);
      await settled();
    }
    expect(world.reads).toBe(1);
    world.now = 1000;
    stillRuns();
    stillRuns();
    await settled();
    expect(world.reads).toBe(2);
  });

  test.each([
    ['running', true],
    ['paused', false],
    ['stopped', false],
    ['cancelled', false],
    // It may be put back right now.
    [null, true],
  ])('at a run that is %s says: runs %s', async (state, runs) => {
    const { stillRuns } = startLooks(state);
    stillRuns();
    await settled();
    expect(stillRuns()).toBe(runs);
  });

  test('that is a second old says nothing of a run that was resumed since', async () => {
    const { world, stillRuns } = startLooks('paused');
    stillRuns();
    await settled();
    expect(stillRuns()).toBe(false);
    world.state = 'running';
    world.now = 1000;
    expect(stillRuns()).toBe(true);
    await settled();
    expect(stillRuns()).toBe(true);
  });

  test('that gets no answer, or fails, keeps nobody from going on', async () => {
    const answer = deferred<string | null>();
    let reads = 0;
    const read = () => {
      reads += 1;
      return reads === 1 ? answer.promise : Promise.reject(new Error('Redis is away'));
    };
    const clock = { now: 0 };
    const stillRuns = createStillRuns(read, () => clock.now);
    for (const now of [0, 5000, 60_000]) {
      clock.now = now;
      expect(stillRuns()).toBe(true);
    }
    expect(reads).toBe(1);
    answer.resolve('running');
    await settled();
    clock.now = 120_000;
    stillRuns();
    await settled();
    expect([stillRuns(), reads]).toEqual([true, 2]);
  });
});

describe('a wait', () => {
  const now = () => performance.now();

  test('ends when the run does not run any more', async () => {
    let looks = 0;
    const stillRuns = () => {
      looks += 1;
      return looks < 2;
    };
    expect(await waitWhileRunning(FAR_TOO_LONG_MS, { stillRuns, stopping: NEVER, now })).toBe(false);
    expect(looks).toBe(2);
  });

  test('ends at once when the process is to end', async () => {
    const stop = new AbortController();
    const waited = waitWhileRunning(FAR_TOO_LONG_MS, { stillRuns: () => true, stopping: stop.signal, now });
    stop.abort();
    expect(await waited).toBe(false);
  });
});
