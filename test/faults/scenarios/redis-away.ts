import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Summary } from '../../../src/report/summary.ts';
import { embeddedServer, type Flow, keysOf, subclientsCsv } from '../../support/flow.ts';
import { until } from '../../support/until.ts';
import { whileSlow } from '../../support/while-slow.ts';
import { allSend, type Crew, type Member, redisOf, registered, startCrew } from '../support/crew.ts';
import { createDice } from '../support/seed.ts';
import { SLOWNESS, secondsSince, TIMES } from '../support/times.ts';
import { assertTruth, type Truth } from '../support/truth.ts';

/** `killed`: SIGKILL and a new start. `frozen`: SIGSTOP and SIGCONT. `held`: a black hole on the way. `refused`: nobody listens. */
export type Absence = 'killed' | 'frozen' | 'held' | 'refused';

export type RedisAwayOptions = {
  readonly rows: number;
  readonly seed: number;
  readonly absence: Absence;
  readonly seconds: number;
  readonly latencyMs: number;
};

export type RedisAwayReport = Truth & {
  /** From the return of Redis until every process has sent something again. */
  readonly backSeconds: number;
};

/** `send.concurrency` of the job: what one process may have on the wire. */
const CONCURRENCY = 20;
const BACK_SECONDS = 10 * SLOWNESS;
/** Beside the deadline, after which the program gives up waiting for Redis. */
const END_SECONDS = 5 * SLOWNESS;
const FIRST_ROWS = 200;

/** Redis is away while a run and a worker are busy: both go on soon after its return, nothing is in doubt. */
export async function redisAwayBusy(options: RedisAwayOptions): Promise<RedisAwayReport> {
  const { rows, seed } = options;
  const sandbox = { faults: faultsOf(options) };
  const crew = await startCrew({ rows, homes: 'each', proxyRedis: true, sandbox });
  await allSend(crew, sandbox.faults);
  const due = rows * (0.1 + 0.2 * createDice(seed).next());
  await until(() => crew.made() >= due);
  const backSeconds = await whileSlow(crew.flow.sandbox, slowlyThen(options), async () =>
    secondsUntilSent(crew.members, await away(options, crew)),
  );
  return conclude(await endOf(crew), backSeconds, options);
}

/** The embedded Redis is killed, or stands still for that long, under a run and a worker: it is revived, and both go on. */
export async function embeddedAway(
  options: Omit<RedisAwayOptions, 'absence'> & { readonly absence: 'killed' | 'frozen' },
): Promise<RedisAwayReport> {
  const { rows, seed, absence, seconds } = options;
  const sandbox = { faults: faultsOf(options) };
  const crew = await startCrew({ rows, homes: 'one', sandbox });
  await allSend(crew, sandbox.faults);
  const due = rows * (0.1 + 0.2 * createDice(seed).next());
  await until(() => crew.made() >= due);
  const pid = (await embeddedServer(crew.flow.home))?.pid;
  if (pid === undefined) throw new Error('there is no server');
  const backSeconds = await whileSlow(crew.flow.sandbox, slowlyThen(options), async () => {
    if (absence === 'killed') process.kill(pid, 'SIGKILL');
    else process.kill(pid, 'SIGSTOP');
    if (absence === 'frozen') {
      await pause(seconds * 1000);
      process.kill(pid, 'SIGCONT');
    }
    // Some may be on their way to the service already.
    const sent = sentBy(crew.members).map((requests) => requests + CONCURRENCY);
    return secondsUntilSent(crew.members, sent);
  });
  return conclude(await endOf(crew), backSeconds, options);
}

/** Redis is away while a worker has nothing to do: it has its share of the run that begins after that. */
export async function redisAwayIdle(options: RedisAwayOptions): Promise<RedisAwayReport> {
  const { rows } = options;
  const sandbox = { faults: faultsOf(options) };
  const crew = await startCrew({ rows: FIRST_ROWS, homes: 'each', proxyRedis: true, sandbox });
  const { flow, members } = crew;
  await crew.finished;
  await away(options, crew);
  const workers = members.slice(1);
  const sent = sentBy(workers);
  const file = await flow.file('next.csv', subclientsCsv(rows, 'N'));
  const env = { MSB_TOKEN: 'token-of-run', REDIS_URL: redisOf(crew).url };
  const running = flow.run(['subclients-create', file], env);
  const backSeconds = await secondsUntilSent(workers, sent);
  const { summary } = await running;
  const keys = keysOf(rows, 'N');
  return conclude({ flow, summary, keys, madeBefore: FIRST_ROWS }, backSeconds, options);
}

/** Away with Redis for that long; answers how much each had sent at its return, on the wire before or not. */
async function away({ absence, seconds }: RedisAwayOptions, crew: Crew): Promise<readonly number[]> {
  await begin(absence, crew);
  await pause(seconds * 1000);
  const sent = sentBy(crew.members);
  await finish(absence, crew);
  return sent;
}

/** Redis goes away. */
export async function begin(absence: Absence, crew: Crew): Promise<void> {
  const redis = redisOf(crew);
  if (absence === 'killed') await redis.kill();
  if (absence === 'frozen') redis.freeze();
  for (const { redisProxy } of crew.members) {
    if (absence === 'held') redisProxy?.hold();
    if (absence === 'refused') {
      redisProxy?.refuse();
      redisProxy?.cut();
    }
  }
}

/** And is there again. */
export async function finish(absence: Absence, crew: Crew): Promise<void> {
  const redis = redisOf(crew);
  if (absence === 'killed') await redis.start();
  if (absence === 'frozen') redis.thaw();
  for (const { redisProxy } of crew.members) {
    if (absence === 'held') redisProxy?.letGo();
    if (absence === 'refused') await redisProxy?.accept();
  }
}

/** The run and the worker are told to end while Redis is away; the same command ends the run when it is back. */
export async function endedWithoutRedis(
  options: Omit<RedisAwayOptions, 'seconds'>,
  times = TIMES,
): Promise<Truth & { readonly endSeconds: number }> {
  const { rows, absence } = options;
  const sandbox = { faults: faultsOf(options) };
  const crew = await startCrew({ rows, homes: 'one', redis: 'url', times, proxyRedis: true, sandbox });
  // It has no summary to give.
  crew.finished.catch(() => undefined);
  // A worker that finds no Redis at its start ends in another way.
  await whileSlow(crew.flow.sandbox, slowlyThen(options), () =>
    until(async () => (await registered(crew)) === crew.members.length),
  );
  await until(() => crew.made() >= rows * 0.2);
  await begin(absence, crew);
  const from = performance.now();
  for (const member of crew.members) member.signal('SIGTERM');
  const ends = await Promise.all(crew.members.map(({ ownEnd }) => ownEnd));
  const endSeconds = secondsSince(from);
  await finish(absence, crew);
  const { flow, keys, file } = crew;
  const env = { MSB_TOKEN: 'token-of-run', REDIS_URL: redisOf(crew).url };
  const { summary } = await flow.run(['subclients-create', file], env);
  const truth = await assertTruth({ sandbox: flow.sandbox, home: flow.home, summary, keys });
  process.stderr.write(`redis-away at the end ${JSON.stringify({ ...options, endSeconds, ...truth })}\n`);
  expect(ends.map(({ exitCode }) => exitCode)).toEqual([4, 4]);
  expect(endSeconds).toBeLessThanOrEqual(times.deadlineMs / 1000 + END_SECONDS);
  // What was answered is in their journals; what Redis granted while it went away was never sent, and only Redis knows of it.
  expect(truth.inDoubtMade, 'made and in doubt').toBe(0);
  expect(truth.inDoubtNotMade, 'in doubt').toBeLessThanOrEqual(CONCURRENCY * crew.members.length);
  return { ...truth, endSeconds };
}

function faultsOf({ latencyMs }: Pick<RedisAwayOptions, 'latencyMs'>): readonly string[] {
  return [`latency=${latencyMs}ms±${latencyMs}ms`];
}

/** So slow that each finds rows left when it is back, whoever is back first. */
function slowlyThen(options: Pick<RedisAwayOptions, 'latencyMs'>) {
  return { after: faultsOf(options), latency: '1s' };
}

function sentBy(members: readonly Member[]): readonly number[] {
  return members.map((member) => member.requests());
}

async function secondsUntilSent(members: readonly Member[], sent: readonly number[]): Promise<number> {
  const from = performance.now();
  await until(() => members.every((member, i) => member.requests() > (sent[i] ?? 0)));
  return secondsSince(from);
}

type Ended = {
  readonly flow: Flow;
  readonly summary: Summary;
  readonly keys: readonly string[];
  readonly madeBefore?: number;
};

async function endOf(crew: Crew): Promise<Ended> {
  const { flow, keys, finished } = crew;
  return { flow, keys, summary: (await finished).summary };
}

async function conclude(ended: Ended, backSeconds: number, options: object): Promise<RedisAwayReport> {
  const { flow, ...told } = ended;
  const truth = await assertTruth({ sandbox: flow.sandbox, home: flow.home, ...told });
  const report = { ...truth, backSeconds };
  process.stderr.write(`redis-away ${JSON.stringify({ ...options, ...report })}\n`);
  expect(report.inDoubtMade + report.inDoubtNotMade, 'in doubt').toBe(0);
  expect(report.backSeconds).toBeLessThanOrEqual(BACK_SECONDS);
  return report;
}
