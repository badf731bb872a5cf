import { performance } from 'node:perf_hooks';
import { Redis } from 'ioredis';
import { expect, onTestFinished } from 'vitest';
import { until } from '../../support/until.ts';
import { type Crew, startCrew, truthOf } from '../support/crew.ts';
import type { TcpProxy } from '../support/proxy.ts';
import { createDice } from '../support/seed.ts';
import { secondsSince } from '../support/times.ts';
import { keysSentTwice, type Truth } from '../support/truth.ts';

export type LostRepliesReport = Truth & {
  readonly rows: number;
  /** Replies that were dropped. */
  readonly lost: number;
  readonly seconds: number;
};

/** Chunks that travel to the queue together (src/delivery/ingest-run.ts), and rows of a chunk (src/cli/chunk-rows.ts). */
const CHUNKS_PER_ADD = 8;
const CHUNK_ROWS = 100;

/** The reply to every enqueue is lost once, at a random one of its chunks: nothing is queued, sent or made twice. */
export async function lostEnqueues(options: {
  readonly enqueues: number;
  readonly seed: number;
}): Promise<LostRepliesReport> {
  const began = performance.now();
  const rows = options.enqueues * CHUNKS_PER_ADD * CHUNK_ROWS;
  const crew = await startCrew({
    rows,
    homes: 'each',
    proxyRedis: true,
    sandbox: { recordRequests: 2 * rows },
  });
  const dice = createDice(options.seed);
  let lost = 0;
  for (let i = 0; i < options.enqueues; i += 1) {
    const matching = payloadOf(i * CHUNKS_PER_ADD + dice.between(1, CHUNKS_PER_ADD));
    void wayOfRun(crew)
      .loseReplyTo(matching)
      .then(() => {
        lost += 1;
      });
  }
  const truth = await assertWhole(crew);
  expect(lost, 'replies lost before the run was over').toBe(options.enqueues);
  const report = { ...truth, rows, lost, seconds: secondsSince(began) };
  process.stderr.write(`lost-enqueues ${JSON.stringify({ ...options, ...report })}\n`);
  return report;
}

/** `chunk`: the worker is not told of the chunk it was given. `marker`: nor, once, that there is one. */
export type LostFetch = 'chunk' | 'marker';

/** The reply to the fetch of the only chunk is lost again and again: the chunk comes back, and the run ends. */
export async function lostFetches(options: {
  readonly fetch: LostFetch;
  readonly times: number;
}): Promise<LostRepliesReport> {
  const began = performance.now();
  const crew = await startCrew({
    rows: CHUNK_ROWS,
    homes: 'each',
    workers: 0,
    proxyRedis: true,
    sandbox: { faults: ['latency=50ms'], recordRequests: 2 * CHUNK_ROWS },
  });
  let lost = 0;
  const lose = async () => {
    // One after the other: two that wait at the same time would be met by one reply.
    for (; lost < options.times; lost += 1) await wayOfRun(crew).loseReply(REPLY[options.fetch]);
  };
  void lose();
  const truth = await assertWhole(crew);
  expect(lost, 'replies lost before the run was over').toBe(options.times);
  const report = { ...truth, rows: CHUNK_ROWS, lost, seconds: secondsSince(began) };
  process.stderr.write(`lost-fetches ${JSON.stringify({ ...options, ...report })}\n`);
  return report;
}

const REPLY = { chunk: payloadOf(1), marker: 'chunks:marker' } as const satisfies Record<LostFetch, string>;

/** The beginning of a chunk's payload, as it stands in a job (src/queue/chunk-job.ts). */
function payloadOf(chunk: number): string {
  return `"chunk":${chunk},"claimed":`;
}

/** Every row was sent once, is made and is not in doubt, since nobody died; and no job is left. */
async function assertWhole(crew: Crew): Promise<Truth> {
  const { flow, keys } = crew;
  const { exitCode, stderr, truth } = await truthOf(crew);
  expect(exitCode, stderr).toBe(0);
  expect(keysSentTwice(flow.sandbox), 'rows sent more than once').toEqual([]);
  expect(truth).toEqual({ made: keys.length, inDoubtMade: 0, inDoubtNotMade: 0 });
  await assertNoJobLeft(crew);
  return truth;
}

/** One whose reply was lost so long that its chunk was closed meanwhile is taken once more, for nothing. */
async function assertNoJobLeft({ redis, members }: Crew): Promise<void> {
  const own = new Redis(redis?.port ?? 0, '127.0.0.1');
  onTestFinished(async () => own.disconnect());
  const left = () => own.keys('*:chunks:*-c[0-9]*');
  if (members.length > 1) await until(async () => (await left()).length === 0);
  expect(await left(), 'jobs left').toEqual([]);
}

function wayOfRun({ members: [run] }: Crew): TcpProxy {
  if (run === undefined || run.redisProxy === null) throw new Error('expected a proxy before Redis');
  return run.redisProxy;
}
