import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, type TestContext, test } from 'vitest';
import type { ChunkJob } from '../../../src/engine/queue/chunk-job.ts';
import { createChunkQueue } from '../../../src/engine/queue/chunk-queue.ts';
import { type ChunkEnd, type ChunkLease, startChunkWorker } from '../../../src/engine/queue/chunk-worker.ts';
import { connectRedis } from '../../../src/engine/redis/connection.ts';
import { CLEAR } from '../../../src/lib/seal.ts';
import { deferred } from '../../support/deferred.ts';
import { until } from '../../support/until.ts';
import { CHUNK, ownServer, PREFIX } from './one-chunk.ts';

const LOCKS = `${PREFIX}:chunks:*:lock`;
const LOCK_MS = 3_000;
/** Of a blocked client, in the list of all. */
const WAITS_FOR_CHUNKS = / flags=\w*b\w* .* cmd=bzpopmin /;

/** A way to the server on which replies can be kept back, as in the socket of a process that stands still. */
async function slowWay(to: string, path: string) {
  const replies: Socket[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const way = connect(to);
    replies.push(way);
    for (const socket of [client, way]) sockets.add(socket.on('error', () => undefined));
    client.on('data', (bytes) => way.write(bytes)).on('close', () => way.destroy());
    way.on('data', (bytes) => client.write(bytes)).on('close', () => client.destroy());
  }).listen(path);
  await once(server, 'listening');
  return {
    /** Of the first connection, by which locks are taken and renewed; another waits for chunks. */
    keepBack: () => replies[0]?.pause(),
    letGo: () => replies[0]?.resume(),
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** A worker that hears of Redis only by such a way, and a queue that sees what is really there. */
async function startSlow({ onTestFinished }: TestContext) {
  const { home, server, leave } = await ownServer();
  const way = await slowWay(server.address.path, join(home, 'slow'));
  const redis = connectRedis(server.address, () => undefined);
  const connection = connectRedis({ ...server.address, path: join(home, 'slow') }, () => undefined);
  const onError = () => undefined;
  const queue = createChunkQueue(redis, PREFIX, onError, async () => CLEAR);
  const takes: { readonly lease: ChunkLease; readonly isHeldAtFirst: boolean }[] = [];
  const end = deferred<ChunkEnd>();
  const deliver = async ({ chunk }: ChunkJob, lease: ChunkLease) => {
    if (chunk !== CHUNK.chunk) return 'closed';
    takes.push({ lease, isHeldAtFirst: lease.isHeld() });
    return takes.length === 1 ? end.promise : 'closed';
  };
  await connection.ping();
  const worker = startChunkWorker({
    sealOf: async () => CLEAR,
    connection,
    prefix: PREFIX,
    lockMs: LOCK_MS,
    deliver,
    onError,
  });
  onTestFinished(async () => {
    end.resolve('closed');
    await Promise.all([worker.close(), queue.close()]);
    for (const each of [redis, connection]) each.disconnect();
    way.close();
    await leave();
  });
  // A worker that has taken a chunk and waits for more: on a connection whose replies are not kept back.
  await queue.add([{ ...CHUNK, chunk: 2 }]);
  await until(async () => !(await queue.has(CHUNK.run, 2)));
  await until(async () => WAITS_FOR_CHUNKS.test(String(await redis.client('LIST'))));
  const locks = async () => (await redis.keys(LOCKS)).length;
  return { redis, queue, way, takes, locks };
}

describe.concurrent('a worker that hears of its lock only when it has lapsed', () => {
  test('does not take it for renewed', async (context) => {
    const { queue, way, takes, locks, redis } = await startSlow(context);
    await queue.add([CHUNK]);
    await until(() => takes.length === 1);
    way.keepBack();
    // Renewed once, of which it does not hear.
    const [lock = ''] = await redis.keys(LOCKS);
    let left = await redis.pttl(lock);
    await until(async () => {
      const before = left;
      left = await redis.pttl(lock);
      return left > before;
    });
    await until(async () => (await locks()) === 0);
    way.letGo();
    // At each turn, since the chunk is taken anew soon after.
    let wasHeld = false;
    let isOver = false;
    context.onTestFinished(() => {
      isOver = true;
    });
    while (takes.length === 1 && !isOver) {
      await setImmediate();
      wasHeld ||= takes[0]?.lease.isHeld() === true;
    }
    expect(wasHeld).toBe(false);
  });

  test('does not take the chunk for its own', async (context) => {
    const { queue, way, takes, locks } = await startSlow(context);
    way.keepBack();
    await queue.add([CHUNK]);
    await until(async () => (await locks()) === 1);
    await until(async () => (await locks()) === 0);
    way.letGo();
    await until(() => takes.length > 0);
    expect(takes[0]?.isHeldAtFirst).toBe(false);
  });
});
