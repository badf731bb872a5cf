import { readdir, readFile, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SHIPPED_TIMES, type Times } from '../../src/lib/times.ts';
import { embeddedServer } from '../support/flow.ts';
import { growingLog } from '../support/redis-server.ts';
import { until, watchEnd } from '../support/until.ts';
import { whileSlow } from '../support/while-slow.ts';
import { allOf, testsOf } from './support/all-of.ts';
import { type Crew, type Member, redisOf, startCrew, truthOf } from './support/crew.ts';
import { createDice, type Dice, SEED } from './support/seed.ts';
import { LONG, SLOWNESS, secondsSince, TIMEOUT_MS, TIMES } from './support/times.ts';
import type { Truth } from './support/truth.ts';

/**
 * `cut`: Redis dies and comes back without its last second. `flush`: it forgets everything, and goes on. `torn`: it dies within a
 * transaction, is started on that file, and once more when others have written behind it; the embedded one by whoever uses it.
 * `death`: who dies with it; of `worker-and-journal` nobody can say any more what it has sent.
 */
type Blow = {
  readonly kind: 'cut' | 'flush' | 'torn';
  readonly death: 'nobody' | 'worker' | 'worker-and-journal';
  /** The worker has joined so lately that Redis forgets that there is such a one. */
  readonly newcomer?: boolean;
};

type Past = {
  readonly rows: number;
  readonly seed?: number;
  readonly homes: 'one' | 'each';
  /** The one of the home. */
  readonly redis?: 'embedded';
  readonly blows: readonly Blow[];
  /** The service's mean answering time; each answer takes 0 to twice as long. */
  readonly latencyMs: number;
  readonly times?: Times;
};

const CUT: Blow = { kind: 'cut', death: 'nobody' };
const FLUSH: Blow = { kind: 'flush', death: 'nobody' };
const CUT_AND_KILLED: Blow = { kind: 'cut', death: 'worker' };
/** By itself: with a journal that is gone, all that was handed out is in doubt. */
const JOURNAL_LOST: Blow = { kind: 'cut', death: 'worker-and-journal' };
const NEWCOMER_LOST: Blow = { ...JOURNAL_LOST, newcomer: true };
const TORN: Blow = { kind: 'torn', death: 'nobody' };

const TORN_ONES: readonly Past[] = [
  { rows: 1_000, homes: 'one', latencyMs: 100, blows: [TORN, TORN] },
  { rows: 1_000, homes: 'one', latencyMs: 100, blows: [TORN, TORN], redis: 'embedded' },
];
const SOME: readonly Past[] = [
  ...TORN_ONES,
  { rows: 2_400, homes: 'one', latencyMs: 200, blows: [CUT, CUT_AND_KILLED, FLUSH] },
  { rows: 2_400, homes: 'each', latencyMs: 200, blows: [NEWCOMER_LOST], times: SHIPPED_TIMES },
];
const ROUND = [CUT, CUT_AND_KILLED, CUT, FLUSH, CUT_AND_KILLED];
const OFTEN = { rows: 40_000, latencyMs: 60, blows: [ROUND, ROUND, ROUND, ROUND, ROUND].flat() };
const ALL: readonly Past[] = [
  ...TORN_ONES,
  { ...OFTEN, homes: 'one' },
  { ...OFTEN, homes: 'each' },
  { rows: 20_000, homes: 'each', latencyMs: 60, blows: [1, 2, 3, 4, 5].flatMap(() => [CUT, FLUSH]) },
  ...[0, 1, 2, 3, 4].flatMap((n) =>
    [JOURNAL_LOST, NEWCOMER_LOST].map(
      (blow) => ({ rows: 4_000, seed: SEED + n, homes: 'each', latencyMs: 60, blows: [blow] }) as const,
    ),
  ),
];

test.each(testsOf(LONG ? ALL : SOME, nameOf))(
  `Redis comes back without its last second, empty, or torn: $names: nothing twice, nothing lost (seed ${SEED})`,
  async ({ all }) => {
    await allOf(all, redisPast);
  },
  TIMEOUT_MS,
);

function nameOf({ homes, redis, blows }: Past): string {
  const [{ kind, death, newcomer = false } = CUT] = blows;
  return `${blows.length} times ${kind}, ${newcomer ? 'a new ' : ''}${death}, homes ${homes}, ${redis ?? 'by URL'}`;
}

type Report = Truth & {
  readonly blows: number;
  readonly deaths: number;
  readonly seconds: number;
  /** From the return of Redis to the next row sent and made, the longest of each kind of death. */
  readonly backSeconds: Readonly<Record<string, number>>;
};

/** `send.concurrency` of the job: what one process may have on the wire. */
const CONCURRENCY = 20;
/** What was answered so lately may not be in the killed worker's journal yet (src/engine/recovery/journal/journal.ts). */
const NOTED_AFTER_MS = 50;
const CUT_SECONDS = 1;
/** A log that is younger than the cut would be cut to nothing. */
const BETWEEN_MS = 1_000 * CUT_SECONDS + 500;
const DOWN_MAX_MS = 1_000;
const BACK_SECONDS = 10 * SLOWNESS;
/** Four rows a second: what the others leave in the queue is there when a newcomer comes, however late that is. */
const UNTIL_IT_HAS_COME = '5s';

/** Redis goes back in time, or forgets all, again and again while rows are created: nothing twice, nothing lost. */
async function redisPast(options: Past): Promise<void> {
  const began = performance.now();
  const { rows, homes, latencyMs, times = TIMES } = options;
  const faults = [`latency=${latencyMs}ms±${latencyMs}ms`];
  const lateWorkers = options.blows[0]?.newcomer === true;
  const redis = options.redis === 'embedded' ? {} : ({ redis: 'url' } as const);
  const crew = await startCrew({ rows, homes, ...redis, lateWorkers, times, sandbox: { faults } });
  const [back, { truth }] = await Promise.all([strikeAll(crew, faults, options), truthOf(crew)]);
  const report = {
    ...truth,
    blows: back.length,
    deaths: back.filter(({ death }) => death !== 'nobody').length,
    seconds: secondsSince(began),
    backSeconds: longestOf(back),
  };
  process.stderr.write(`redis-past ${JSON.stringify({ ...options, ...report })}\n`);
  judge(report, options);
}

type Back = { readonly death: Blow['death']; readonly seconds: number };

async function strikeAll(
  crew: Crew,
  faults: readonly string[],
  { blows, rows, seed = SEED }: Past,
): Promise<Back[]> {
  const dice = createDice(seed);
  const back: Back[] = [];
  const isOver = watchEnd(crew.finished);
  for (const [i, blow] of blows.entries()) {
    const due = (rows * (i + 0.2 + 0.6 * dice.next())) / (blows.length + 0.5);
    const from = performance.now() + (blow.kind === 'cut' ? BETWEEN_MS : 0);
    await until(() => isOver() || (crew.made() >= due && performance.now() >= from));
    expect(isOver(), 'the run was over before all blows fell').toBe(false);
    await strike(blow, { crew, dice, isOver, faults });
    back.push({ death: blow.death, seconds: await nextRow(crew, isOver) });
  }
  return back;
}

/** Seconds until a row is made that was not on the wire already, or none is left to make. */
async function nextRow(crew: Crew, isOver: () => boolean): Promise<number> {
  const from = performance.now();
  const before = crew.made() + crew.members.length * CONCURRENCY;
  await until(() => crew.made() > before || isOver());
  return secondsSince(from);
}

type Ring = {
  readonly crew: Crew;
  readonly dice: Dice;
  readonly faults: readonly string[];
  readonly isOver: () => boolean;
};

async function strike({ kind, death, newcomer }: Blow, { crew, dice, faults, isOver }: Ring): Promise<void> {
  if (kind === 'torn') return crew.redis === null ? tearEmbedded(crew) : tearTwice(crew);
  const redis = redisOf(crew);
  // The home of the `run` has the report: it stays as it is.
  const [, ...workers] = crew.members;
  const victim = dice.pick(death === 'worker' && newcomer !== true ? crew.members : workers);
  if (newcomer === true) {
    const slowly = { latency: UNTIL_IT_HAS_COME, after: faults };
    await whileSlow(crew.flow.sandbox, slowly, () => beginLate(victim, isOver));
  }
  if (kind === 'flush') await redis.redis.flushall();
  else await redis.kill();
  if (death !== 'nobody') await end(victim, death);
  if (kind === 'cut') {
    await redis.cutLog(CUT_SECONDS);
    await pause(dice.between(0, DOWN_MAX_MS));
    await redis.start();
  }
  if (death !== 'nobody') victim.revive();
}

/** The second start comes when others have written behind the torn end. */
async function tearTwice(crew: Crew): Promise<void> {
  const redis = redisOf(crew);
  await redis.kill();
  await redis.tearLog();
  await redis.start();
  await moreMade(crew);
  await redis.kill();
  await redis.start();
}

/** Whoever uses the server starts it again at once: the file is torn while it stands still. */
async function tearEmbedded(crew: Crew): Promise<void> {
  const server = await embeddedServer(crew.flow.home);
  if (server === null) throw new Error('there is no server');
  const { folder, pid } = server;
  process.kill(pid, 'SIGSTOP');
  await until(async () => (await readFile(`/proc/${pid}/stat`, 'utf8')).includes(') T '));
  const log = growingLog(folder);
  await truncate(log, (await stat(log)).size - 3);
  process.kill(pid, 'SIGKILL');
  await moreMade(crew);
}

function moreMade({ made }: Crew): Promise<void> {
  const before = made();
  return until(() => made() > before + 20);
}

/** One that nobody knows has just begun to send. */
async function beginLate(worker: Member, isOver: () => boolean): Promise<void> {
  await worker.end('SIGTERM');
  worker.revive();
  await until(() => worker.requests() >= CONCURRENCY || isOver());
  expect(isOver(), 'the run was over before the newcomer had its share').toBe(false);
}

async function end(victim: Member, death: Blow['death']): Promise<void> {
  await victim.end();
  if (death !== 'worker-and-journal') return;
  const journals = join(victim.home, 'journal');
  expect(await readdir(journals), 'it had a journal').not.toEqual([]);
  await rm(journals, { recursive: true });
}

function judge(report: Report, { blows, latencyMs, times = TIMES }: Past): void {
  expect(report.blows).toBe(blows.length);
  if (blows.every(({ death }) => death !== 'worker-and-journal')) {
    const inHand = CONCURRENCY * (1.5 + NOTED_AFTER_MS / latencyMs);
    expect(report.inDoubtMade + report.inDoubtNotMade).toBeLessThanOrEqual(inHand * report.deaths);
  }
  for (const [death, seconds] of Object.entries(report.backSeconds)) {
    // A member that never comes back is waited for that long.
    const grace = death === 'worker-and-journal' ? times.graceMs / 1000 : 0;
    expect(seconds, `back after ${death}`).toBeLessThanOrEqual(BACK_SECONDS + grace);
    if (blows[0]?.newcomer === true) expect(seconds).toBeGreaterThan(0.9 * grace);
  }
}

function longestOf(back: readonly Back[]): Record<string, number> {
  const longest: Record<string, number> = {};
  for (const { death, seconds } of back) longest[death] = Math.max(longest[death] ?? 0, seconds);
  return longest;
}
