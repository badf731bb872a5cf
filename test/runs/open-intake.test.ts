import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Queue } from 'bullmq';
import { expect, onTestFinished, test } from 'vitest';
import { readEnvironment } from '../../src/config/environment.ts';
import { jobDefinitionSchema } from '../../src/config/job-definition.ts';
import { surveyFile } from '../../src/intake/survey.ts';
import { createLog } from '../../src/lib/log.ts';
import { createReleasers } from '../../src/lib/releasers.ts';
import { chunkJobId } from '../../src/queue/chunk-job.ts';
import { createChunkQueue, QUEUE_NAME } from '../../src/queue/chunk-queue.ts';
import { openIntake } from '../../src/runs/open-intake.ts';
import { fileRows } from '../../src/runs/row-source.ts';
import { joinLedger, openDelivery, openLedger, serviceFromEnvironment } from '../../src/session.ts';
import { memoryIo } from '../cli/memory-io.ts';
import { until } from '../support/flow.ts';
import { useOwnRedis } from '../support/redis.ts';
import { newRun } from '../support/runs.ts';

const own = useOwnRedis();
/** Chunks that may be open at once, and a file that has more of them. */
const OPEN_CHUNKS_MAX = 64;
const ROWS = 100;

/** A running run of 100 chunks of one row, ready to be read; no worker takes any. */
async function startIntake() {
  const releasers = createReleasers();
  const home = await mkdtemp(join(tmpdir(), 'onboard-intake-'));
  onTestFinished(async () => {
    await releasers.release();
    await rm(home, { recursive: true, force: true });
  });
  const path = join(home, 'a.csv');
  const lines = Array.from({ length: ROWS }, (_, i) => `K${i + 1},Company ${i + 1}`);
  await writeFile(path, ['externalId,details.name', ...lines, ''].join('\n'));
  const redisUrl = `unix://${own().address.path}`;
  const MSB_BASE_URL = `http://127.0.0.1/${home.slice(-6)}`;
  const io = memoryIo({ env: { MSB_BASE_URL, MSB_TOKEN: 't', REDIS_URL: redisUrl, ONBOARD_HOME: home } });
  const env = readEnvironment(io.env);
  const log = createLog('silent', io.stderr, () => 0);
  const ledger = await openLedger(env, log, releasers);
  const service = serviceFromEnvironment(env);
  const definition = jobDefinitionSchema.parse({ operation: 'subclient.create', key: 'externalId' });
  const facts = await surveyFile(path, definition.format);
  const { keys, store } = ledger.of(service.target);
  const { id } = await store.register(newRun({ definition, facts, chunkRows: 1, target: service.target }));
  await store.transition(id, 'running', null);
  const run = await store.get(id);
  if (run === null) throw new Error('the run is gone');
  const membership = await joinLedger(ledger, service.target, {
    env,
    log,
    releasers,
    notify: () => undefined,
  });
  const delivery = openDelivery({ ledger, membership, service, log, interrupted: io.interrupted });
  const job = { name: run.job, definition };
  const desk = { env, io, log, ledger, membership, service, delivery, job, flags: {} };
  const intake = await openIntake(run, fileRows(facts), desk);
  releasers.push(() => intake.close());
  const queue = createChunkQueue(ledger.redis, keys.queuePrefix, () => undefined);
  const lose = async (chunk: number) => {
    const bull = new Queue(QUEUE_NAME, { connection: ledger.redis, prefix: keys.queuePrefix });
    await bull.remove(chunkJobId(id, chunk));
    await bull.close();
  };
  return { intake, lose, has: (chunk: number) => queue.has(id, chunk) };
}

test('chunks that the reading has not come to are not missing; one that the queue has lost is, and the next reading puts it back', async () => {
  const { intake, lose, has } = await startIntake();
  const stop = new AbortController();
  const reading = intake.ingest(stop.signal);
  await until(() => has(OPEN_CHUNKS_MAX));
  expect([await has(OPEN_CHUNKS_MAX + 1), await intake.sweep()]).toEqual([false, false]);

  await lose(3);
  expect(await intake.sweep()).toBe(true);
  stop.abort();
  expect(await reading).toBe('stopped');

  const again = new AbortController();
  const second = intake.ingest(again.signal);
  await until(() => has(3));
  await until(async () => !(await intake.sweep()));
  again.abort();
  expect(await second).toBe('stopped');
});

test('before anything was read nothing is missing', async () => {
  const { intake } = await startIntake();
  expect(await intake.sweep()).toBe(false);
});
