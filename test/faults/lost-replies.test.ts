import { expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { allOf } from './support/all-of.ts';
import { type Crew, redisOf, startCrew, truthOf } from './support/crew.ts';
import type { TcpProxy } from './support/proxy.ts';
import { createDice, SEED, shareOf } from './support/seed.ts';
import { LONG, TIMEOUT_MS } from './support/times.ts';

/** Chunks that travel to the queue together (src/delivery/ingest-run.ts), and rows of a chunk (src/faces/cli/chunk-rows.ts). */
const CHUNKS_PER_ADD = 8;
const CHUNK_ROWS = 100;

const ENQUEUES = LONG ? shareOf(50) : 2;
const FETCHES = [
  { fetch: 'chunk', times: LONG ? 3 : 1 },
  { fetch: 'marker', times: 1 },
] as const;

test(
  `${ENQUEUES} times the reply to an enqueue is lost, and that to a fetch: no chunk twice, every row once (seed ${SEED})`,
  async () => {
    await Promise.all([lostEnqueues(), allOf(FETCHES, lostFetches)]);
  },
  TIMEOUT_MS,
);

/** The reply to every enqueue is lost once, at a random one of its chunks. */
async function lostEnqueues(): Promise<void> {
  const rows = ENQUEUES * CHUNKS_PER_ADD * CHUNK_ROWS;
  const crew = await startCrew({ rows, homes: 'each', proxyRedis: true });
  const dice = createDice(SEED);
  let lost = 0;
  for (let i = 0; i < ENQUEUES; i += 1) {
    const matching = payloadOf(i * CHUNKS_PER_ADD + dice.between(1, CHUNKS_PER_ADD));
    void wayOfRun(crew)
      .loseReplyTo(matching)
      .then(() => {
        lost += 1;
      });
  }
  await assertWhole(crew);
  expect(lost, 'replies lost before the run was over').toBe(ENQUEUES);
}

/**
 * The reply to the fetch of the only chunk is lost again and again: the chunk comes back, and the run ends. `chunk`: the
 * worker is not told of the chunk it was given. `marker`: nor that there is one.
 */
async function lostFetches({ fetch, times }: (typeof FETCHES)[number]): Promise<void> {
  const crew = await startCrew({
    rows: CHUNK_ROWS,
    homes: 'each',
    workers: 0,
    proxyRedis: true,
    sandbox: { faults: ['latency=50ms'] },
  });
  const reply = fetch === 'chunk' ? payloadOf(1) : 'chunks:marker';
  let lost = 0;
  const lose = async () => {
    // One after the other: two that wait at the same time would be met by one reply.
    for (; lost < times; lost += 1) await wayOfRun(crew).loseReply(reply);
  };
  void lose();
  await assertWhole(crew);
  expect(lost, 'replies lost before the run was over').toBe(times);
}

/** The beginning of a chunk's payload, as it stands in a job (src/engine/queue/chunk-job.ts). */
function payloadOf(chunk: number): string {
  return `"chunk":${chunk},"claimed":`;
}

/** Every row is made, once, and is not in doubt, since nobody died; and no job is left. */
async function assertWhole(crew: Crew): Promise<void> {
  const { exitCode, stderr, truth } = await truthOf(crew);
  expect(exitCode, stderr).toBe(0);
  expect(truth).toEqual({ made: crew.keys.length, inDoubtMade: 0, inDoubtNotMade: 0 });
  await assertNoJobLeft(crew);
}

/** One whose reply was lost so long that its chunk was closed meanwhile is taken once more, for nothing. */
async function assertNoJobLeft(crew: Crew): Promise<void> {
  const left = () => redisOf(crew).redis.keys('*:chunks:*-c[0-9]*');
  if (crew.members.length > 1) await until(async () => (await left()).length === 0);
  expect(await left(), 'jobs left').toEqual([]);
}

function wayOfRun({ members: [run] }: Crew): TcpProxy {
  if (run === undefined || run.redisProxy === null) throw new Error('expected a proxy before Redis');
  return run.redisProxy;
}
