import { Queue } from 'bullmq';
import { describe, expect, type TestContext, test } from 'vitest';
import type { ChunkJob } from '../../../src/engine/queue/chunk-job.ts';
import { createChunkQueue, QUEUE_NAME } from '../../../src/engine/queue/chunk-queue.ts';
import { type ChunkEnd, type ChunkLease, startChunkWorker } from '../../../src/engine/queue/chunk-worker.ts';
import { connectRedis } from '../../../src/engine/redis/connection.ts';
import type { RedisConnection } from '../../../src/lib/redis-connection.ts';
import { CLEAR } from '../../../src/lib/seal.ts';
import { SHIPPED_TIMES } from '../../../src/lib/times.ts';
import { deferred } from '../../support/deferred.ts';
import { lockKey, lose, setLease, setText } from '../../support/stored.ts';
import { until } from '../../support/until.ts';
import { CHUNK, ownServer, PREFIX } from './one-chunk.ts';

/** Chunks that one process works on at once. */
const PLACES = 8;
/** Well before a lease of which nothing is heard is over, which takes 9 s. */
const HEARD_MS = 8_000;
/** Where it is waited for that a lock lapses, or that somebody looks for lapsed ones. */
const SHORT_LOCK_MS = 4_000;

/**
 * A server of the test's own, which it may stop, with a queue and a worker on it. The tests run beside each other: what
 * belongs to one has to be ended by that one's own context.
 */
async function startParts(
  { onTestFinished }: TestContext,
  deliver: (job: ChunkJob, lease: ChunkLease) => Promise<ChunkEnd>,
  beforeWorker: (redis: RedisConnection) => Promise<unknown> = async () => undefined,
  lockMs = SHORT_LOCK_MS,
) {
  const { server, leave } = await ownServer();
  const redis = connectRedis(server.address, () => undefined);
  const errors: Error[] = [];
  const onError = (error: Error) => void errors.push(error);
  const edges = { connection: redis, prefix: PREFIX, onError };
  const queue = createChunkQueue(edges.connection, edges.prefix, edges.onError, async () => CLEAR);
  await queue.countWaiting();
  await beforeWorker(redis);
  const worker = startChunkWorker({ sealOf: async () => CLEAR, ...edges, lockMs, deliver });
  onTestFinished(async () => {
    redis.disconnect();
    await leave();
  });
  /** Closes both; `letGo`: ends the chunks in hand. */
  const finish = async (letGo: () => void = () => undefined) => {
    const closed = worker.close();
    letGo();
    await closed;
    await queue.close();
  };
  return { redis, queue, worker, errors, finish, stopServer: () => server.close() };
}

describe.concurrent('a worker', () => {
  test('whose take has lost its chunk does not get it back with its next take', async (context) => {
    const leases: ChunkLease[] = [];
    const ends = [deferred<ChunkEnd>(), deferred<ChunkEnd>()];
    const { redis, queue, finish } = await startParts(context, (_, lease) => {
      leases.push(lease);
      return ends[leases.length - 1]?.promise ?? Promise.resolve('closed');
    });
    await queue.add([CHUNK]);
    await until(() => leases.length === 1);
    // As after an outage that was longer than a lock lives: the stalled check hands the chunk out again.
    await until(async () => {
      if (leases.length === 1) await lose(redis, lockKey(PREFIX, CHUNK));
      return leases.length === 2;
    });
    await until(() => leases[0]?.isHeld() === false);
    expect(leases[1]?.isHeld()).toBe(true);
    ends[0]?.resolve('put-back');
    await finish(() => {
      expect(leases[1]?.isHeld()).toBe(true);
      ends[1]?.resolve('closed');
    });
  });

  test('whose lock another worker has got knows it when it can’t renew it', async (context) => {
    const [begun, end] = [deferred<ChunkLease>(), deferred<ChunkEnd>()];
    const deliver = async (_: ChunkJob, lease: ChunkLease) => {
      begun.resolve(lease);
      return end.promise;
    };
    const { redis, queue, finish } = await startParts(context, deliver, undefined, SHIPPED_TIMES.lockMs);
    await queue.add([CHUNK]);
    const lease = await begun.promise;
    const from = performance.now();
    await setLease(redis, lockKey(PREFIX, CHUNK), 'another');
    await until(() => !lease.isHeld());
    expect(performance.now() - from).toBeLessThan(HEARD_MS);
    await finish(() => end.resolve('closed'));
  });
});

describe.concurrent('closing a worker', () => {
  test('waits for the chunks in hand, and takes no other', async (context) => {
    const end = deferred<ChunkEnd>();
    const taken: number[] = [];
    const { queue, worker } = await startParts(context, async (job) => {
      taken.push(job.chunk);
      return end.promise;
    });
    const inHand = Array.from({ length: PLACES }, (_, i) => i + 1);
    const waiting = PLACES + 1;
    await queue.add([...inHand, waiting].map((chunk) => ({ ...CHUNK, chunk })));
    await until(() => taken.length === PLACES);
    let isClosed = false;
    const closed = worker.close().then(() => {
      isClosed = true;
    });
    expect([isClosed, await queue.has('run-1', waiting)]).toEqual([false, true]);
    end.resolve('closed');
    await closed;
    expect(taken).toEqual(inHand);
    expect(await Promise.all(taken.map((chunk) => queue.has('run-1', chunk)))).toEqual(
      taken.map(() => false),
    );
    expect(await queue.has('run-1', waiting)).toBe(true);
    await queue.close();
  });

  test('ends all the same where Redis is gone', async (context) => {
    const { queue, finish, stopServer } = await startParts(context, async () => 'closed');
    await queue.add([CHUNK]);
    await until(async () => !(await queue.has('run-1', 1)));
    await stopServer();
    await finish();
  });

  test('with a chunk in hand whose outcome Redis can’t take any more ends when its lease has lapsed', async (context) => {
    const begun = deferred<ChunkLease>();
    const { queue, worker, redis, stopServer } = await startParts(context, async (_, lease) => {
      begun.resolve(lease);
      await stopServer();
      // Held back by the connection until Redis is there again.
      await setText(redis, 'outcome', 'created');
      return 'closed';
    });
    await queue.add([CHUNK]);
    const lease = await begun.promise;
    expect(lease.isHeld()).toBe(true);
    await worker.close();
    expect(lease.isHeld()).toBe(false);
  });
});

const chunksOf = (run: string, count: number) =>
  Array.from({ length: count }, (_, i) => ({ ...CHUNK, run, chunk: i + 1 }));

describe.concurrent('while a run has all places', () => {
  test('a new one gets in also beside a chunk that was lost and taken anew in the same process', async (context) => {
    const inHand: { readonly id: string; end(end: ChunkEnd): void }[] = [];
    const { redis, queue, finish } = await startParts(context, ({ run, chunk }) => {
      const { promise, resolve } = deferred<ChunkEnd>();
      inHand.push({ id: `${run}-c${chunk}`, end: resolve });
      return promise;
    });
    const takesOf = (id: string) => inHand.filter((one) => one.id === id).length;
    await queue.add(chunksOf('big', PLACES));
    await until(() => inHand.length === PLACES);
    // Its lock lapses as in an outage, and BullMQ puts it before all others that wait.
    await until(async () => {
      await lose(redis, lockKey(PREFIX, { run: 'big', chunk: 1 }));
      return (await redis.llen(`${PREFIX}:chunks:wait`)) >= 1;
    });
    await queue.add(chunksOf('new', 1));
    await until(() => takesOf('big-c1') === 2);
    await until(() => takesOf('new-c1') === 1);
    await finish(() => {
      for (const { end } of inHand) end('closed');
    });
  });

  test('another gets in whose chunk came back far behind all that wait', async (context) => {
    const end = deferred<ChunkEnd>();
    const taken: string[] = [];
    const { redis, queue, finish } = await startParts(context, ({ run }) => {
      taken.push(run);
      return end.promise;
    });
    await queue.add(chunksOf('big', 6 * PLACES));
    await queue.add(chunksOf('other', 1));
    const bull = new Queue(QUEUE_NAME, { connection: redis, prefix: PREFIX });
    await (await bull.getJob('other-c1'))?.changePriority({ priority: 2 ** 20 });
    await until(() => taken.includes('other'));
    await bull.close();
    await finish(() => end.resolve('closed'));
  });
});
