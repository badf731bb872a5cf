import { Queue, UnrecoverableError } from 'bullmq';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ChunkJob } from '../../../src/engine/queue/chunk-job.ts';
import { createChunkQueue, QUEUE_NAME } from '../../../src/engine/queue/chunk-queue.ts';
import { type ChunkEnd, type ChunkLease, startChunkWorker } from '../../../src/engine/queue/chunk-worker.ts';
import { CLEAR } from '../../../src/lib/seal.ts';
import { deferred } from '../../support/deferred.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { ownKeys } from '../../support/runs.ts';
import { setQueued } from '../../support/stored.ts';
import { until } from '../../support/until.ts';

const own = useOwnRedis();

function chunk(n: number, run = 'run-1'): ChunkJob {
  const row = { kind: 'cells', row: n, line: n + 1, cells: [`K${n}`, 'a "b"\r\n€'] } as const;
  return { run, chunk: n, rows: [{ row: { ...row, cells: [...row.cells] }, claim: { kind: 'claimed' } }] };
}

type Deliver = (job: ChunkJob, lease: ChunkLease) => Promise<ChunkEnd>;

/** A queue of the test's own; a worker on it starts when the test says so. */
function ownQueue() {
  const prefix = ownKeys().queuePrefix;
  const errors: Error[] = [];
  const onError = (error: Error) => void errors.push(error);
  const queue = createChunkQueue(own().redis, prefix, onError, async () => CLEAR);
  onTestFinished(() => queue.close());
  const work = (deliver: Deliver) => {
    const worker = startChunkWorker({
      sealOf: async () => CLEAR,
      connection: own().redis,
      prefix,
      deliver,
      onError,
    });
    onTestFinished(() => worker.close());
    return worker;
  };
  const bull = new Queue(QUEUE_NAME, { connection: own().redis, prefix });
  onTestFinished(() => bull.close());
  const delays = async () => (await bull.getDelayed()).map(({ delay }) => delay);
  return { queue, work, prefix, errors, delays };
}

/** A worker that notes what it is given until it has had so many. */
async function orderOf(work: (deliver: Deliver) => unknown, count: number): Promise<string[]> {
  const order: string[] = [];
  const end = deferred<ChunkEnd>();
  // None ends before so many are taken: those that follow on one that ends overtake each other.
  work(async ({ run, chunk: n }) => {
    order.push(`${run} ${n}`);
    return end.promise;
  });
  await until(() => order.length >= count);
  end.resolve('closed');
  return order.slice(0, count);
}

describe('a chunk in the queue', () => {
  test('that is added twice is delivered once', async () => {
    const { queue, work } = ownQueue();
    await queue.add([chunk(1)]);
    await queue.add([chunk(1), chunk(2)]);
    const delivered: number[] = [];
    work(async (job) => {
      delivered.push(job.chunk);
      return 'closed';
    });
    await until(async () => !(await queue.has('run-1', 2)));
    expect(delivered).toEqual([1, 2]);
  });

  test('is there while it waits and while it is worked on, and gone when it is closed', async () => {
    const { queue, work } = ownQueue();
    const [begun, end] = [deferred<void>(), deferred<ChunkEnd>()];
    expect(await queue.has('run-1', 1)).toBe(false);
    await queue.add([chunk(1)]);
    const isThere = [queue.has('run-1', 1), queue.has('run-1', 2), queue.has('run-2', 1)];
    expect(await Promise.all(isThere)).toEqual([true, false, false]);
    work(async () => {
      begun.resolve();
      return end.promise;
    });
    await begun.promise;
    await queue.add([chunk(1)]);
    expect(await queue.has('run-1', 1)).toBe(true);
    end.resolve('closed');
    await until(async () => !(await queue.has('run-1', 1)));
  });

  test('that is put back comes again by itself, with its lease held', async () => {
    const { queue, work, errors } = ownQueue();
    const held: boolean[] = [];
    await queue.add([chunk(1)]);
    work(async (_, lease) => {
      held.push(lease.isHeld());
      return held.length === 1 ? 'put-back' : 'closed';
    });
    await until(async () => !(await queue.has('run-1', 1)));
    expect([held, errors]).toEqual([[true, true], []]);
  });

  test('that is put aside waits five seconds, unless its run is promoted', async () => {
    const { queue, work, delays } = ownQueue();
    await queue.add([chunk(1)]);
    await queue.add([chunk(1, 'run-1-c1')]);
    const aside = work(async () => 'put-aside');
    await until(async () => (await delays()).length === 2);
    await aside.close();
    expect((await delays()).map((ms) => Math.round(ms / 1000))).toEqual([5, 5]);
    await queue.promote('run-1');
    expect(await delays()).toHaveLength(1);
    expect(await orderOf(work, 1)).toEqual(['run-1 1']);
  });

  test('is taken out with its rows while nobody has it in hand', async () => {
    const { queue, work } = ownQueue();
    const [begun, end] = [deferred<void>(), deferred<ChunkEnd>()];
    await queue.add([chunk(1), chunk(2)]);
    expect(await queue.takeOut('run-1', 2)).toEqual({ rows: chunk(2).rows });
    // It may be gone already: then nothing is known of its rows.
    expect(await queue.takeOut('run-1', 2)).toEqual({ rows: null });
    work(async () => {
      begun.resolve();
      return end.promise;
    });
    await begun.promise;
    expect([await queue.takeOut('run-1', 1), await queue.has('run-1', 1)]).toEqual([null, true]);
    end.resolve('put-back');
    await until(async () => (await queue.takeOut('run-1', 1)) !== null);
    expect([await queue.has('run-1', 1), await queue.has('run-1', 2)]).toEqual([false, false]);
  });

  test('whose delivery fails comes again, and the failure is told', async () => {
    const { queue, work, errors } = ownQueue();
    let takes = 0;
    await queue.add([chunk(1)]);
    work(async () => {
      takes += 1;
      if (takes === 1) throw new Error('the ledger could not be reached');
      return 'closed';
    });
    await until(async () => !(await queue.has('run-1', 1)));
    expect(takes).toBe(2);
    expect(errors.map((error) => error.message)).toContain(`run-1-c1: the ledger could not be reached`);
  });

  test('that BullMQ gave up counts as lost, and can be taken out and added anew', async () => {
    const { queue, work } = ownQueue();
    let takes = 0;
    await queue.add([chunk(1)]);
    work(async () => {
      takes += 1;
      // As it does with a job that stalled too often: failed for good, whatever its attempts.
      if (takes === 1) throw new UnrecoverableError('job stalled more than allowable limit');
      return 'closed';
    });
    await until(async () => takes === 1 && !(await queue.has('run-1', 1)));
    expect(await queue.takeOut('run-1', 1)).toEqual({ rows: chunk(1).rows });
    await queue.add([chunk(1)]);
    await until(() => takes === 2);
  });

  test.each([
    ['no JSON', '{"run'],
    ['no chunk', '{}'],
    ['none', ''],
  ])(
    'whose data are %s counts as lost, though workers take it again and again, and is delivered once it is added anew',
    async (_, data) => {
      const { queue, work, prefix, errors } = ownQueue();
      await queue.add([chunk(1)]);
      await setQueued(own().redis, prefix, { run: 'run-1', chunk: 1 }, data);
      const delivered: number[] = [];
      work(async (job) => {
        delivered.push(job.chunk);
        return 'closed';
      });
      await until(() => errors.length > 0);
      expect(await queue.has('run-1', 1)).toBe(false);
      // No lock of a worker that can't read it stands in the way for long.
      await until(async () => (await queue.takeOut('run-1', 1)) !== null);
      await queue.add([chunk(1)]);
      await until(() => delivered.length > 0);
      expect(delivered).toEqual([1]);
    },
  );
});

describe('chunks of several runs', () => {
  const some = (run: string, numbers: readonly number[]) => numbers.map((n) => chunk(n, run));

  test('take turns, whichever run was there first', async () => {
    const { queue, work } = ownQueue();
    await queue.add(some('big', [1, 2, 3, 4, 5, 6, 7, 8]));
    await queue.add(some('big', [9, 10, 11]), 8);
    await queue.add(some('new', [1, 2, 3]));
    const order = await orderOf(work, 7);
    expect(order).toEqual(['big 1', 'new 1', 'big 2', 'new 2', 'big 3', 'new 3', 'big 4']);
  });

  test('that are put back do not come before everybody’s', async () => {
    const { queue, work } = ownQueue();
    await queue.add(some('waits', [1]));
    const order: string[] = [];
    const first = work(async ({ run, chunk: n }) => {
      order.push(`${run} ${n}`);
      return 'put-back';
    });
    await until(() => order.length === 1);
    await first.close();
    await queue.add(some('other', [1]));
    await queue.promote('waits');
    expect(await orderOf(work, 2)).toEqual(['other 1', 'waits 1']);
  });
});
