import { expect, onTestFinished, test } from 'vitest';
import type { ChunkJob } from '../../../src/engine/queue/chunk-job.ts';
import { createChunkQueue } from '../../../src/engine/queue/chunk-queue.ts';
import { startChunkWorker } from '../../../src/engine/queue/chunk-worker.ts';
import { createSchedules, startScheduleWorker } from '../../../src/engine/queue/schedules.ts';
import { connectRedis } from '../../../src/engine/redis/connection.ts';
import { CLEAR } from '../../../src/lib/seal.ts';
import { startBusyRedis } from '../../support/busy-redis.ts';
import { deferred } from '../../support/deferred.ts';
import { CHUNK, PREFIX } from './one-chunk.ts';

const EVERY_SECOND = { job: 'often', cron: '* * * * * *', timezone: 'Europe/London' };

test('whatever is opened while a foreign script keeps Redis busy works when that script has ended', async () => {
  const { port, beBusy, endScript } = await startBusyRedis();
  const server = { host: '127.0.0.1', port };
  const connection = connectRedis(
    { kind: 'server', server, login: null, tls: null, database: 0 },
    () => undefined,
  );
  onTestFinished(() => connection.disconnect());
  await connection.ping();
  await beBusy();

  const [refused, taken, released] = [deferred<string>(), deferred<number>(), deferred<string>()];
  const edges = { connection, prefix: PREFIX, onError: ({ message }: Error) => refused.resolve(message) };
  const queue = createChunkQueue(connection, PREFIX, edges.onError, async () => CLEAR);
  const schedules = createSchedules(connection, PREFIX, edges.onError);
  const deliver = async ({ chunk }: ChunkJob) => {
    taken.resolve(chunk);
    return 'closed' as const;
  };
  const release = async (job: string) => released.resolve(job);
  const workers = [
    startChunkWorker({ sealOf: async () => CLEAR, ...edges, deliver }),
    startScheduleWorker({ ...edges, release }),
  ];
  expect(await refused.promise).toContain('BUSY');
  await endScript();

  await queue.add([CHUNK]);
  await schedules.keep([EVERY_SECOND]);
  expect([await taken.promise, await released.promise]).toEqual([1, 'often']);
  await Promise.all(workers.map((worker) => worker.close()));
  await Promise.all([queue.close(), schedules.close()]);
});
