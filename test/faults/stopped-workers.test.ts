import { performance } from 'node:perf_hooks';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../support/until.ts';
import { allOf } from './support/all-of.ts';
import { allSend, type Crew, type Member, redisOf, startCrew, truthOf } from './support/crew.ts';
import { preloadEnv } from './support/killing.ts';
import { createDice, type Dice, SEED, shareOf } from './support/seed.ts';
import { LONG, momentLater, secondsSince, TIMEOUT_MS, TIMES } from './support/times.ts';

/** `blocked`: its event loop stands still. `frozen`: SIGSTOP, later SIGCONT. */
type Stop = 'blocked' | 'frozen';

const STOPS = Array.from(
  { length: LONG ? shareOf(50) : 2 },
  (_, i): Stop => (i % 2 === 0 ? 'blocked' : 'frozen'),
);
/** In so many runs at once, since they mostly wait. */
const CREWS = Math.min(STOPS.length, 5);

/** Its chunks are taken over after 1.5 locks at most, a little later on a machine that is busy. */
const STOP_MS = 1.5 * TIMES.lockMs + 5_000;
/** `send.concurrency` of the job. */
const CONCURRENCY = 20;
const LATENCY_MS = 500;
const BETWEEN_MAX_MS = 3_000;
/** Two workers at this latency send 80 rows a second at most: more than there is time for, stops and moments between counted. */
const ROWS_PER_STOP = (80 * (STOP_MS + BETWEEN_MAX_MS + 2_000)) / 1000;
const SETTLE_MS = 1_000;
const LOOK_MS = 200;

test(
  `${STOPS.length} times a worker stands still for longer than its locks live, blocked or frozen: it loses its chunks and sends none of their rows (seed ${SEED})`,
  async () => {
    await allOf([...Array(CREWS).keys()], stoppedWorkers);
  },
  TIMEOUT_MS,
);

/** One of two workers, again and again: its crew's share of the stops. What is sent twice is made twice, and found in the truth. */
async function stoppedWorkers(n: number): Promise<void> {
  const began = performance.now();
  const stops = STOPS.filter((_, i) => i % CREWS === n);
  const rows = stops.length * ROWS_PER_STOP;
  const faults = [`latency=${LATENCY_MS}ms±${LATENCY_MS}ms`];
  const crew = await startCrew({
    rows,
    homes: 'one',
    redis: 'url',
    sandbox: { faults },
    env: { ...preloadEnv('block-on-signal'), ONBOARD_TEST_BLOCK_MS: String(STOP_MS) },
  });
  await allSend(crew, faults);
  const stopping = stopAll(crew, stops, createDice(SEED + n));
  const [done, { truth }] = await Promise.all([stopping, truthOf(crew)]);
  const report = { ...truth, done, rows, seconds: secondsSince(began) };
  process.stderr.write(`stopped-workers ${JSON.stringify(report)}\n`);
  expect(done).toHaveLength(stops.length);
  for (const { name, takenOver } of done)
    expect(takenOver, `chunks of ${name} taken over`).toBeGreaterThan(0);
}

type Done = { readonly name: string; readonly takenOver: number };

async function stopAll(crew: Crew, stops: readonly Stop[], dice: Dice): Promise<Done[]> {
  const putBack = watchStalled(crew);
  const done: Done[] = [];
  for (const stop of stops) {
    const victim = dice.pick(crew.members);
    const requests = victim.requests();
    await until(() => victim.requests() >= requests + CONCURRENCY);
    await momentLater(dice.between(0, BETWEEN_MAX_MS));
    const before = await putBack();
    await standStill(victim, stop);
    done.push({ name: victim.name, takenOver: (await putBack()) - before });
    if (stop === 'frozen') victim.signal('SIGCONT');
    expect(crew.made(), 'the run was over before all stops').toBeLessThan(crew.keys.length);
  }
  // What is left only has to come to an end.
  crew.flow.sandbox.setFaults(['latency=5ms']);
  return done;
}

/** Resolves when it has stood still for its time; it sends nothing meanwhile. */
async function standStill(victim: Member, stop: Stop): Promise<void> {
  const from = performance.now();
  victim.signal(stop === 'blocked' ? 'SIGUSR2' : 'SIGSTOP');
  // What it had written by then is still read.
  await momentLater(SETTLE_MS);
  const seen = victim.requests();
  await momentLater(from + STOP_MS - SETTLE_MS - performance.now());
  expect(victim.requests(), `${victim.name} sent while it stood still`).toBe(seen);
  await momentLater(from + STOP_MS - performance.now());
}

/** How often a chunk was taken from its worker so far, of all chunks seen: BullMQ counts it in the job, which goes when it is done. */
function watchStalled(crew: Crew): () => Promise<number> {
  const { redis } = redisOf(crew);
  const seen = new Map<string, number>();
  const look = async () => {
    for (const key of await redis.keys('*:chunks:*-c[0-9]*')) {
      const times = Number((await redis.hget(key, 'stc').catch(() => null)) ?? 0);
      seen.set(key, Math.max(times, seen.get(key) ?? 0));
    }
  };
  const timer = setInterval(() => void look().catch(() => undefined), LOOK_MS);
  onTestFinished(() => clearInterval(timer));
  return async () => {
    await look();
    return [...seen.values()].reduce((sum, times) => sum + times, 0);
  };
}
