import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Queue } from 'bullmq';
import { readEnvironment } from '../../src/config/environment.ts';
import { type JobDefinition, jobDefinitionSchema } from '../../src/config/job-definition.ts';
import { nowhere } from '../../src/delivery/target.ts';
import type { Canary } from '../../src/engine/ledger/run-record.ts';
import type { RunStore } from '../../src/engine/ledger/run-store.ts';
import { createRunView } from '../../src/engine/ledger/run-view.ts';
import { chunkJobId } from '../../src/engine/queue/chunk-job.ts';
import { type ChunkQueue, createChunkQueue, QUEUE_NAME } from '../../src/engine/queue/chunk-queue.ts';
import { startChunkWorker } from '../../src/engine/queue/chunk-worker.ts';
import { createLog } from '../../src/lib/log.ts';
import { createReleasers } from '../../src/lib/releasers.ts';
import { CLEAR } from '../../src/lib/seal.ts';
import type { Row } from '../../src/model/row.ts';
import type { Run } from '../../src/model/run.ts';
import type { Settlement } from '../../src/model/settlement.ts';
import { joinTarget, openSession, type TargetSession } from '../../src/session.ts';
import { type MemoryIo, MemoryStream, memoryIo } from '../faces/cli/memory-io.ts';
import type { AtTestEnd } from './at-test-end.ts';
import { deferred } from './deferred.ts';
import type { OwnRedis } from './redis.ts';
import { newRun } from './runs.ts';
import { closeChunks, misplace, setQueued } from './stored.ts';

/** A session on a Redis of the test's own, joined to a target that nobody else has; no chunk is taken from the queue. */
export type TestSession = TargetSession & {
  readonly io: MemoryIo;
  readonly store: RunStore;
  readonly queue: ChunkQueue;
  /** What the log was written, a line each. */
  readonly logged: MemoryStream;
  readonly interruption: AbortController;
};

export async function openTestSession(
  { url }: Pick<OwnRedis, 'url'>,
  atEnd: AtTestEnd,
  env: Readonly<Record<string, string>> = {},
  options: Parameters<typeof openSession>[1] = {},
): Promise<TestSession> {
  const home = await mkdtemp(join(tmpdir(), 'onboard-session-'));
  const releasers = createReleasers();
  atEnd(async () => {
    await releasers.release();
    await rm(home, { recursive: true, force: true });
  });
  const interruption = new AbortController();
  const io = memoryIo({
    env: { REDIS_URL: url, ONBOARD_HOME: home, ...env },
    interrupted: interruption.signal,
  });
  const logged = new MemoryStream();
  const log = createLog('debug', logged, () => 0);
  const session = await openSession({ io, env: readEnvironment(io.env), log, releasers }, options);
  const service = nowhere(`http://127.0.0.1/${randomBytes(6).toString('hex')}`);
  const joined = await joinTarget(session, service, { sends: false });
  const { keys, store } = session.ledger.of(service.target);
  const queue = createChunkQueue(
    session.ledger.redis,
    keys.queuePrefix,
    () => undefined,
    async () => CLEAR,
  );
  releasers.push(() => queue.close());
  return { ...joined, io, store, queue, logged, interruption };
}

/** Rows whose first cell is their key. */
export function rowsTo(count: number, keyOf: (row: number) => string = (row) => `K${row}`): Row[] {
  return Array.from({ length: count }, (_, i) => {
    const row = i + 1;
    return { kind: 'cells', row, line: row + 1, cells: [keyOf(row), `Company ${row}`] };
  });
}

export type RunOf = {
  readonly rows: number;
  readonly chunkRows?: number;
  readonly definition?: object;
  readonly canary?: Canary;
};

/** A running run of a job with key column `externalId`, with its definition. */
export async function startTestRun(
  { store, service }: TestSession,
  { rows, chunkRows = 1, definition: over = {}, canary }: RunOf,
): Promise<{ readonly run: Run; readonly definition: JobDefinition }> {
  const definition = jobDefinitionSchema.parse({ operation: 'subclient.create', key: 'externalId', ...over });
  const { facts } = newRun({ rows });
  const source = { ...facts.source, columns: ['externalId', 'details.name'] };
  const registered = newRun({
    definition,
    chunkRows,
    target: service.target,
    facts: { ...facts, source },
    ...(canary !== undefined && { canary }),
  });
  await store.register(registered);
  await store.transition(registered.id, 'running', null);
  return { run: await knownRun(store, registered.id), definition };
}

export async function knownRun(store: RunStore, id: string): Promise<Run> {
  const run = await store.get(id);
  if (run === null) throw new Error('the run is gone');
  return run;
}

/** The rows in chunks of one size. */
export async function* inChunks(rows: readonly Row[], chunkRows = 1) {
  for (let i = 0; i < rows.length; i += chunkRows) {
    yield { n: i / chunkRows + 1, rows: rows.slice(i, i + chunkRows) };
  }
}

/** What the ledger has of the run's rows. */
export async function settlementsOf({ ledger }: TestSession, run: Run): Promise<Settlement[]> {
  const settlements: Settlement[] = [];
  const view = createRunView(ledger.redis, ledger.of(run.target).keys, run);
  for await (const { settlements: rows } of view.chunks()) settlements.push(...rows);
  return settlements;
}

/** Closes a chunk as the last of its workers does. */
export async function closeChunk(
  { ledger }: TestSession,
  run: Run,
  chunk: number,
  settlements: readonly Settlement[] = [],
): Promise<void> {
  const k = ledger.of(run.target).keys.run(run.id);
  await closeChunks(ledger.redis, k, new Map([[chunk, settlements]]));
}

/** Takes a chunk out of the queue behind everybody's back. */
export async function loseChunk({ ledger }: TestSession, run: Run, chunk: number): Promise<void> {
  const queue = new Queue(QUEUE_NAME, {
    connection: ledger.redis,
    prefix: ledger.of(run.target).keys.queuePrefix,
  });
  await queue.remove(chunkJobId(run.id, chunk));
  await queue.close();
}

/** Takes a chunk that waits out of the list that it waits in: the queue still knows it, and nobody will take it. */
export async function misplaceChunk({ ledger }: TestSession, run: Run, chunk: number): Promise<void> {
  const { queuePrefix } = ledger.of(run.target).keys;
  await misplace(ledger.redis, queuePrefix, { run: run.id, chunk });
}

/** Leaves nothing of a chunk's rows that anybody could read. */
export async function spoilChunk({ ledger }: TestSession, run: Run, chunk: number): Promise<void> {
  const { queuePrefix } = ledger.of(run.target).keys;
  await setQueued(ledger.redis, queuePrefix, { run: run.id, chunk }, '{"run');
}

/** A worker that has the first chunk it is handed in hand until it is told to put it back. */
export async function holdChunk({ ledger, service, releasers }: TestSession) {
  const [taken, free] = [deferred<void>(), deferred<void>()];
  const worker = startChunkWorker({
    sealOf: async () => CLEAR,
    connection: ledger.redis,
    prefix: ledger.of(service.target).keys.queuePrefix,
    async deliver() {
      taken.resolve();
      await free.promise;
      return 'put-aside';
    },
    onError: () => undefined,
  });
  releasers.push(async () => {
    free.resolve();
    await worker.close();
  });
  return { taken: taken.promise, putBack: () => free.resolve() };
}
