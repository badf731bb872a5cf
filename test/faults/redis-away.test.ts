import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SHIPPED_TIMES } from '../../src/lib/times.ts';
import type { Summary } from '../../src/runs/report/summary.ts';
import { embeddedServer, type Flow, keysOf, subclientsCsv } from '../support/flow.ts';
import { until } from '../support/until.ts';
import { whileSlow } from '../support/while-slow.ts';
import { allOf, testsOf } from './support/all-of.ts';
import { allSend, type Crew, type Member, redisOf, registered, startCrew } from './support/crew.ts';
import { createDice, SEED } from './support/seed.ts';
import { LONG, SLOWNESS, secondsSince, TIMEOUT_MS } from './support/times.ts';
import { assertTruth } from './support/truth.ts';

/** `killed`: SIGKILL and a new start. `frozen`: SIGSTOP and SIGCONT. `held`: a black hole on the way. `refused`: nobody listens. */
type Absence = 'killed' | 'frozen' | 'held' | 'refused';

/**
 * Whom it finds: a `busy` run and worker, the same with the `embedded` Redis, which they start again themselves, an `idle` worker,
 * or a run and a worker that are `told to end` while it is away.
 */
type Away = {
  readonly whom: 'busy' | 'embedded' | 'idle' | 'told to end';
  readonly absence: Absence;
  readonly seconds: number;
};

const SOME: readonly Away[] = [
  { whom: 'busy', absence: 'held', seconds: 3 },
  { whom: 'embedded', absence: 'killed', seconds: 0 },
  { whom: 'told to end', absence: 'refused', seconds: 0 },
];
const ABSENCES: readonly Absence[] = ['killed', 'frozen', 'held', 'refused'];
const LENGTHS = [2, 15, 120];
const ALL: readonly Away[] = [
  ...(['busy', 'idle'] as const).flatMap((whom) =>
    ABSENCES.flatMap((absence) => LENGTHS.map((seconds) => ({ whom, absence, seconds }))),
  ),
  { whom: 'embedded', absence: 'killed', seconds: 0 },
  ...LENGTHS.map((seconds) => ({ whom: 'embedded', absence: 'frozen', seconds }) as const),
  ...ABSENCES.map((absence) => ({ whom: 'told to end', absence, seconds: 0 }) as const),
];

/** Half as many again as a process has in hand, at least: the other one has its share, however late it comes. */
const ROWS = LONG ? 3000 : 1200;
const FAULTS = ['latency=100ms±100ms'];
/** So slow that each finds rows left when it is back, whoever is back first. */
const SLOWLY = { after: FAULTS, latency: '1s' };
/** `send.concurrency` of the job: what one process may have on the wire. */
const CONCURRENCY = 20;
const BACK_SECONDS = 10 * SLOWNESS;
/** Beside the deadline, after which the program gives up waiting for Redis. */
const END_SECONDS = 5 * SLOWNESS;
const FIRST_ROWS = 200;

test.each(testsOf(LONG ? ALL : SOME, ({ whom, absence, seconds }) => `${whom}, ${absence} for ${seconds} s`))(
  `Redis is away and comes back: $names: work goes on, nothing is in doubt (seed ${SEED})`,
  async ({ all }) => {
    await allOf(all, (away) => SCENES[away.whom](away));
  },
  TIMEOUT_MS,
);

const SCENES: Readonly<Record<Away['whom'], (away: Away) => Promise<void>>> = {
  busy: awayBusy,
  embedded: awayBusy,
  idle: awayIdle,
  'told to end': endedWithoutRedis,
};

/** Redis is away while a run and a worker are busy: both go on soon after its return, nothing is in doubt. */
async function awayBusy(away: Away): Promise<void> {
  const place =
    away.whom === 'embedded' ? { homes: 'one' as const } : { homes: 'each' as const, proxyRedis: true };
  const crew = await startCrew({ rows: ROWS, ...place, sandbox: { faults: FAULTS } });
  await allSend(crew, FAULTS);
  const due = ROWS * (0.1 + 0.2 * createDice(SEED).next());
  await until(() => crew.made() >= due);
  const goAway = crew.redis === null ? embeddedGone : gone;
  const backSeconds = await whileSlow(crew.flow.sandbox, SLOWLY, async () =>
    secondsUntilSent(crew.members, await goAway(away, crew)),
  );
  const { flow, keys, finished } = crew;
  await conclude({ flow, keys, summary: (await finished).summary }, backSeconds, away);
}

/** The same with the server that the program has started; answers also what may be on its way to the service already. */
async function embeddedGone({ absence, seconds }: Away, { flow, members }: Crew): Promise<readonly number[]> {
  const pid = (await embeddedServer(flow.home))?.pid;
  if (pid === undefined) throw new Error('there is no server');
  process.kill(pid, absence === 'killed' ? 'SIGKILL' : 'SIGSTOP');
  if (absence === 'frozen') {
    await pause(seconds * 1000);
    process.kill(pid, 'SIGCONT');
  }
  return sentBy(members).map((requests) => requests + CONCURRENCY);
}

/** Redis is away while a worker has nothing to do: it has its share of the run that begins after that. */
async function awayIdle(away: Away): Promise<void> {
  const sandbox = { faults: FAULTS };
  const crew = await startCrew({ rows: FIRST_ROWS, homes: 'each', proxyRedis: true, sandbox });
  const { flow, members } = crew;
  await crew.finished;
  await gone(away, crew);
  const workers = members.slice(1);
  const sent = sentBy(workers);
  const file = await flow.file('next.csv', subclientsCsv(ROWS, 'N'));
  const running = flow.run(['subclients-create', file]);
  const backSeconds = await secondsUntilSent(workers, sent);
  const { summary } = await running;
  await conclude({ flow, summary, keys: keysOf(ROWS, 'N'), madeBefore: FIRST_ROWS }, backSeconds, away);
}

/** Away with Redis for that long; answers how much each had sent at its return, on the wire before or not. */
async function gone({ absence, seconds }: Away, crew: Crew): Promise<readonly number[]> {
  await begin(absence, crew);
  await pause(seconds * 1000);
  const sent = sentBy(crew.members);
  await finish(absence, crew);
  return sent;
}

/** Redis goes away. */
async function begin(absence: Absence, crew: Crew): Promise<void> {
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
async function finish(absence: Absence, crew: Crew): Promise<void> {
  const redis = redisOf(crew);
  if (absence === 'killed') await redis.start();
  if (absence === 'frozen') redis.thaw();
  for (const { redisProxy } of crew.members) {
    if (absence === 'held') redisProxy?.letGo();
    if (absence === 'refused') await redisProxy?.accept();
  }
}

/** The run and the worker are told to end while Redis is away; the same command ends the run when it is back. */
async function endedWithoutRedis({ absence }: Away): Promise<void> {
  const times = SHIPPED_TIMES;
  const sandbox = { faults: FAULTS };
  const crew = await startCrew({ rows: ROWS, homes: 'one', redis: 'url', times, proxyRedis: true, sandbox });
  // A worker that finds no Redis at its start ends in another way.
  await whileSlow(crew.flow.sandbox, SLOWLY, () =>
    until(async () => (await registered(crew)) === crew.members.length),
  );
  await until(() => crew.made() >= ROWS * 0.2);
  await begin(absence, crew);
  const from = performance.now();
  for (const member of crew.members) member.signal('SIGTERM');
  const ends = await Promise.all(crew.members.map(({ ownEnd }) => ownEnd));
  const endSeconds = secondsSince(from);
  await finish(absence, crew);
  const { flow, keys, file } = crew;
  const { summary } = await flow.run(['subclients-create', file]);
  const truth = await assertTruth({ sandbox: flow.sandbox, home: flow.home, summary, keys });
  process.stderr.write(`redis-away at the end ${JSON.stringify({ absence, endSeconds, ...truth })}\n`);
  expect(ends.map(({ exitCode }) => exitCode)).toEqual([4, 4]);
  if (absence === 'refused') expect(endSeconds).toBeGreaterThanOrEqual(times.deadlineMs / 1000);
  expect(endSeconds).toBeLessThanOrEqual(times.deadlineMs / 1000 + END_SECONDS);
  // What was answered is in their journals; what Redis granted while it went away was never sent, and only Redis knows of it.
  expect(truth.inDoubtMade, 'made and in doubt').toBe(0);
  expect(truth.inDoubtNotMade, 'in doubt').toBeLessThanOrEqual(CONCURRENCY * crew.members.length);
}

function sentBy(members: readonly Member[]): readonly number[] {
  return members.map((member) => member.requests());
}

async function secondsUntilSent(members: readonly Member[], sent: readonly number[]): Promise<number> {
  const from = performance.now();
  await until(() => members.every((member, i) => member.requests() > (sent[i] ?? 0)));
  return secondsSince(from);
}

type Concluded = {
  readonly flow: Flow;
  readonly summary: Summary;
  readonly keys: readonly string[];
  readonly madeBefore?: number;
};

async function conclude({ flow, ...told }: Concluded, backSeconds: number, away: Away): Promise<void> {
  const truth = await assertTruth({ sandbox: flow.sandbox, home: flow.home, ...told });
  process.stderr.write(`redis-away ${JSON.stringify({ ...away, ...truth, backSeconds })}\n`);
  expect(truth.inDoubtMade + truth.inDoubtNotMade, 'in doubt').toBe(0);
  expect(backSeconds).toBeLessThanOrEqual(BACK_SECONDS);
}
