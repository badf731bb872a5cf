import { performance } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { accountSchema } from '../../src/model/account.ts';
import type { Summary } from '../../src/runs/report/summary.ts';
import type { EntityKind } from '../../src/sandbox/records.ts';
import { createJob, type Flow, keysOf, startFlow, subclientsCsv, withSummary } from '../support/flow.ts';
import { startRedisServer } from '../support/redis-server.ts';
import { until, watchEnd } from '../support/until.ts';
import { prepareClocks } from './support/clock.ts';
import {
  FAULT_KINDS,
  type Fault,
  type FaultKind,
  type InjectOptions,
  injectFaults,
  type Targets,
} from './support/fault-kinds.ts';
import { type KeptCommand, keepCommand, type Life } from './support/kept-command.ts';
import { createDice, type Dice, SEED, shareOf } from './support/seed.ts';
import { mountSmallDisk } from './support/small-disk.ts';
import { LONG, momentLater, secondsSince, TIMEOUT_MS, TIMES } from './support/times.ts';
import { assertTruth, duplicateProblems, type Truth } from './support/truth.ts';

/** Rounds are begun until so many minutes are over: `FAULTS_MINUTES`; the share of the counts is one of the minutes here. */
const MINUTES = LONG ? minutesOf(process.env.FAULTS_MINUTES) : 0;
/** A round that is under way when they are over goes on to its end, or to where it stands still. */
const LAST_ROUND_MS = 600_000;
/** Of each round's file. */
const ROWS = LONG ? 4_000 : 500;
/** The service's mean answering time; each answer takes 0 to twice as long. */
const LATENCY_MS = LONG ? 150 : 100;
/** At most, in one round. */
const FAULTS_MAX = LONG ? 40 : 8;
/** `scale`: how much of its full time a fault takes. */
const INJECTED: Omit<InjectOptions, 'dice'> = LONG
  ? { gapMs: [500, 6_000], scale: 1 }
  : { gapMs: [100, 700], scale: 0.05 };
const OFFSETS_SECONDS = LONG ? [-3600, -60, -5, 0, 5, 60, 3600] : [-2, 0, 2];

/** `send.concurrency` of the job: what one process may have on the wire. */
const CONCURRENCY = 20;
/** No fault begins when so much of a round's rows is made: the end has to find its way by itself. */
const STRUCK_SHARE = 0.85;
/** Without faults a round ends within the time of every lock, grace and pause that can add up. */
const CALM_MS = 120_000;
/** A process that met a fault of Redis so lately may not have put its journal back yet. */
const RECOVERY_MS = 10_000;
/** Of all answers; a service that lives is never without. */
const SERVICE_FAULTS = [
  '429=0.3%;retry-after=1',
  '503-retry-after=0.3%;retry-after=1',
  'reset-before=0.05%',
  'reset-after-create=0.1%',
  '500-after-create=0.05%',
  'latency=4s±2s;when=0.2%',
];
/** Answers that leave a create in doubt, as the sandbox counts them. */
const DOUBTFUL = ['reset', 'close', '500'];
const STOPPED = 2;
/** Statuses of a run that has ended, or is stopped. */
const WITH_SUMMARY = [0, 1, STOPPED, 5];
const NOT_STARTED = 3;
const INTERRUPTED = 4;
/** What a run says of its rows every two seconds. */
const PROGRESS = /^\d+ of \d+ rows/;
const PAUSED_MAX_MS = 2_000;
/** Of all files, reports and journals of some rounds. */
const HOME_MB = 256;

const runSchema = z.object({ run: z.string() });

/** `summary`: what it printed last; `null` where no process came so far. */
type KeptRun = KeptCommand & { summary(): Summary | null };

type Setup = Targets & {
  readonly flow: Flow;
  readonly dice: Dice;
  /** The run's own: when it is given again is not when faults are thrown. */
  readonly runDice: Dice;
  readonly job: string;
  readonly kinds: readonly FaultKind[];
  readonly faults: Fault[];
  readonly problems: string[];
  /** What each process of the round has said, for whoever reads of a problem. */
  lives: string[];
  readonly began: number;
  isClosing: boolean;
};

type Round = Truth & {
  readonly rows: number;
  readonly seconds: number;
  readonly faults: number;
  readonly doubtsAllowed: number;
  /** Rows without an outcome. */
  readonly lost: number;
  /** It did not come to its end though all faults had passed; nothing more can be tried. */
  readonly standsStill: boolean;
};

test(
  `whatever can happen to processes, Redis, clocks and the service happens at any moment for ${MINUTES} minutes: nothing twice, nothing lost (seed ${SEED})`,
  randomFaults,
  LONG ? MINUTES * 60_000 + LAST_ROUND_MS : TIMEOUT_MS,
);

function minutesOf(text: string | undefined): number {
  if (text === undefined || text === '') return shareOf(60);
  if (!/^\d{1,4}$/.test(text)) throw new Error(`FAULTS_MINUTES is "${text}": expected a whole number.`);
  return Number(text);
}

async function randomFaults(): Promise<void> {
  const setup = await openSetup();
  const rounds: Round[] = [];
  do rounds.push(await playRound(setup, rounds.length + 1));
  while (secondsSince(setup.began) < 60 * MINUTES && setup.problems.length === 0);
  await closeSetup(setup);
  setup.problems.push(...duplicateProblems(setup.flow.sandbox.stats()));
  const report = {
    seed: SEED,
    minutes: Math.round(secondsSince(setup.began) / 6) / 10,
    rounds: rounds.length,
    rows: sum(rounds, 'rows'),
    made: sum(rounds, 'made'),
    faults: setup.faults.length,
    byKind: countsOf(setup.faults),
    inDoubtMade: sum(rounds, 'inDoubtMade'),
    inDoubtNotMade: sum(rounds, 'inDoubtNotMade'),
    doubtsAllowed: sum(rounds, 'doubtsAllowed'),
    lost: sum(rounds, 'lost'),
    doubles: setup.flow.sandbox.stats().duplicateKeys,
    problems: setup.problems.length,
  };
  process.stderr.write(`random-faults ${JSON.stringify(report)}\n`);
  expect(setup.problems.join('\n')).toBe('');
  expect(report.faults).toBeGreaterThan(0);
}

async function openSetup(): Promise<Setup> {
  const clockFor = await prepareClocks();
  const names = ['run', 'work-1', 'work-2'];
  const clocks = new Map(
    clockFor === null
      ? []
      : await Promise.all(names.map(async (name) => [name, await clockFor(name)] as const)),
  );
  const redisClock = clockFor === null ? null : await clockFor('redis');
  if (redisClock === null)
    process.stderr.write('random-faults: no clock jumps, there is no C compiler here\n');
  const redis = await startRedisServer({ 'busy-reply-threshold': '100' }, redisClock?.env ?? {});
  const flow = await startFlow({ redis: redis.url, times: TIMES, seed: SEED });
  const disk = await mountSmallDisk(flow.home, HOME_MB);
  if (disk === null) process.stderr.write('random-faults: no home fills up, nothing may be mounted here\n');
  const setup: Setup = {
    flow,
    redis,
    redisClock,
    clocks,
    offsetsSeconds: OFFSETS_SECONDS,
    commands: new Map(),
    dice: createDice(SEED),
    disk,
    kinds: FAULT_KINDS.filter(
      (kind) => (redisClock !== null || !kind.endsWith('clock')) && (disk !== null || kind !== 'home-full'),
    ),
    faults: [],
    problems: [],
    lives: [],
    began: performance.now(),
    isClosing: false,
    pause: () => pauseNewest(setup),
    runDice: createDice(SEED + 1),
    job: await flow.file('job.yaml', createJob(`concurrency: ${CONCURRENCY}`)),
  };
  for (const name of names.slice(1)) setup.commands.set(name, keepWorker(setup, name));
  return setup;
}

function keepWorker(setup: Setup, name: string): KeptCommand {
  const worker = keepCommand(name, ['work'], {
    start: (args) => setup.flow.start(args, setup.clocks.get(name)?.env),
    async next(life) {
      keepWords(setup, name, life);
      if (setup.isClosing) return null;
      await afterEnd(setup, name, life);
      return ['work'];
    },
  });
  worker.over.catch((error) => setup.problems.push(`${name}: ${error}`));
  return worker;
}

/** One file from its first row to its last under faults. */
async function playRound(setup: Setup, n: number): Promise<Round> {
  const { flow, faults, dice } = setup;
  const from = performance.now();
  const before = {
    faults: faults.length,
    doubtful: doubtfulAnswers(flow),
    problems: setup.problems.length,
  };
  flow.sandbox.setFaults([...SERVICE_FAULTS, `latency=${LATENCY_MS}ms±${LATENCY_MS}ms`]);
  const keys = keysOf(ROWS, `R${n}-`);
  const file = await flow.file(`round-${n}.csv`, subclientsCsv(ROWS, `R${n}-`));
  const madeBefore = flow.sandbox.stats().made.subclients;
  const made = () => flow.sandbox.stats().made.subclients - madeBefore;
  const run = keepRun(setup, file);
  setup.commands.set('run', run);
  const isOver = watchEnd(run.over);
  const enough = () =>
    isOver() || made() >= STRUCK_SHARE * ROWS || faults.length >= before.faults + FAULTS_MAX;
  await injectFaults(setup, setup.kinds, { ...INJECTED, dice }, { faults, isOver: enough });
  const calm = performance.now();
  await until(() => isOver() || performance.now() - calm > CALM_MS);
  const ofRound = faults.slice(before.faults);
  const standsStill = !isOver();
  const truth = await (standsStill ? standstill(setup) : judge(setup, keys, run)).catch((error: unknown) => {
    setup.problems.push(String(error));
    return { made: made(), inDoubtMade: 0, inDoubtNotMade: 0 };
  });
  const round = {
    ...truth,
    rows: ROWS,
    seconds: secondsSince(from),
    faults: ofRound.length,
    doubtsAllowed:
      1.5 * CONCURRENCY * ofRound.filter((fault) => mayLeaveDoubts(fault, faults)).length +
      doubtfulAnswers(flow) -
      before.doubtful,
    lost: ROWS - (run.summary()?.settled ?? 0),
    standsStill,
  };
  if (truth.inDoubtMade + truth.inDoubtNotMade > round.doubtsAllowed)
    setup.problems.push(`more rows in doubt than were in flight: ${JSON.stringify(round)}`);
  process.stderr.write(`random-faults round ${n} ${JSON.stringify(round)}\n`);
  const hasProblems = setup.problems.length > before.problems;
  if (hasProblems)
    await tellProblems(setup, setup.problems.slice(before.problems), storyOf(ofRound, setup.began));
  setup.lives = [];
  return round;
}

/** `onboard run` on that file until its run has come to its end. */
function keepRun(setup: Setup, file: string): KeptRun {
  const first = ['run', '--job-file', setup.job, file, '--json'];
  let summary: Summary | null = null;
  const run = keepCommand('run', first, {
    start: (args) => setup.flow.start(args, setup.clocks.get('run')?.env),
    async next(life) {
      keepWords(setup, 'run', life);
      if (life.exitCode === null || !WITH_SUMMARY.includes(life.exitCode)) {
        await afterEnd(setup, 'run', life);
        return first;
      }
      // Its report had no room.
      if (life.stdout === '' && hasFilledUp(setup, life)) return first;
      summary = withSummary(life).summary;
      if (life.exitCode !== STOPPED) return null;
      if (summary.reason !== 'requested' && !(summary.reason === 'journal' && hasFilledUp(setup, life)))
        setup.problems.push(`the run is ${summary.state} for ${summary.reason}: ${life.stderr.slice(-500)}`);
      await momentLater(setup.runDice.between(0, PAUSED_MAX_MS));
      // A clock of Redis that was set back makes a pause of the service's a long one, which nobody lifts unasked.
      return setup.runDice.pick([first, ['resume', summary.run, '--yes', '--json']]);
    },
  });
  return { ...run, summary: () => summary };
}

function keepWords(setup: Setup, name: string, { began, exitCode, stderr }: Life): void {
  const at = (moment: number) => ((moment - setup.began) / 1000).toFixed(1);
  const words = stderr.split('\n').filter((line) => line !== '' && !PROGRESS.test(line));
  setup.lives.push(`${name}, ${at(began)}–${at(performance.now())} s, ended with ${exitCode}:`, ...words);
}

/** What ended by itself may not have been able to begin while Redis was in trouble, and nothing else. */
async function afterEnd(setup: Setup, name: string, life: Life): Promise<void> {
  const { given, exitCode, began, stderr } = life;
  const wasInTrouble = setup.faults.some(
    (fault) => isOfRedis(fault) && (fault.ended ?? began) >= began - 1_000,
  );
  const isExpected =
    (exitCode === null && given.length > 0) ||
    (exitCode === INTERRUPTED && given.includes('SIGTERM')) ||
    (exitCode === NOT_STARTED && (wasInTrouble || hasFilledUp(setup, life)));
  if (!isExpected)
    setup.problems.push(
      `${name} ended by itself with ${exitCode} (given: ${given.join()}): ${stderr.slice(-500)}`,
    );
  if (exitCode === NOT_STARTED)
    await until(() => !setup.faults.some((fault) => isOfPlace(fault) && fault.ended === null));
}

/** In the time of that process the home had no room. */
function hasFilledUp({ faults }: Setup, { began }: Life): boolean {
  return faults.some(({ kind, ended }) => kind === 'home-full' && (ended ?? began) >= began - 1_000);
}

function isOfPlace({ victim }: Fault): boolean {
  return victim === 'redis' || victim === 'home';
}

function isOfRedis({ victim }: Fault): boolean {
  return victim === 'redis';
}

async function pauseNewest({ flow, problems }: Setup): Promise<boolean> {
  const newest = await flow.onboard(['runs', '--json', '--limit', '1']);
  if (newest.exitCode !== 0 || newest.stdout === '') return false;
  const { run: id } = runSchema.parse(JSON.parse(newest.stdout));
  const { exitCode, stderr } = await flow.start(['pause', id]).ended;
  // 3: the run has ended already, or Redis is not there for a new command.
  if (exitCode !== 0 && exitCode !== NOT_STARTED) problems.push(`pause ended with ${exitCode}: ${stderr}`);
  return exitCode === 0;
}

/** Killed, a process leaves in doubt what it had in flight; so it may where it was away when Redis called for its journal. */
function mayLeaveDoubts(fault: Fault, all: readonly Fault[]): boolean {
  if (fault.kind === 'kill') return true;
  if (fault.kind !== 'stop' && fault.kind !== 'term') return false;
  const [from, to] = [fault.began - RECOVERY_MS, fault.ended ?? performance.now()];
  return all.some((other) => isOfRedis(other) && other.began <= to && (other.ended ?? to) >= from);
}

/** What the program itself says of a round that goes on nowhere. */
async function standstill({ flow }: Setup): Promise<never> {
  const { stdout, stderr } = await flow.onboard(['status']);
  throw new Error(`the round stands still: ${stdout}${stderr}`);
}

/** Compares the round's report with the service; an Error says where they disagree. */
async function judge({ flow }: Setup, keys: readonly string[], run: KeptRun): Promise<Truth> {
  await run.over;
  const summary = run.summary();
  if (summary === null) throw new Error('the run has ended without a summary');
  await judgeAccount(flow, summary, keys.length);
  const ofRound = new Set(keys);
  const sandbox = {
    stats: flow.sandbox.stats,
    // What a request of an earlier round makes so late is judged at the end.
    entities: (kind: EntityKind) =>
      [...flow.sandbox.entities(kind)].filter(({ key }) => ofRound.has(key ?? '')),
  };
  return assertTruth({ sandbox, home: flow.home, summary, keys });
}

/** What was in doubt may have been accepted since. */
async function judgeAccount(flow: Flow, { run, outcomes }: Summary, rows: number): Promise<void> {
  const text = await flow.look(['account', run, '--json']);
  const account = accountSchema.parse(JSON.parse(text));
  const { atService, writtenOff, inDoubt, holds } = account;
  const isRight = holds && account.rows === rows && writtenOff === 0 && inDoubt <= outcomes['in-doubt'];
  if (!isRight || atService < outcomes.created) throw new Error(`the account is not right: ${text}`);
}

function doubtfulAnswers({ sandbox }: Flow): number {
  const answers = sandbox.stats().requests['subclient.create'] ?? {};
  return DOUBTFUL.reduce((total, label) => total + (answers[label] ?? 0), 0);
}

function storyOf(faults: readonly Fault[], from: number): string {
  const at = (moment: number | null) => (moment === null ? '…' : ((moment - from) / 1000).toFixed(1));
  return faults
    .map(({ kind, victim, began, ended }) => `  ${at(began)}–${at(ended)} s ${kind} ${victim}`)
    .join('\n');
}

function countsOf(faults: readonly Fault[]): Record<string, number> {
  return Object.fromEntries(
    FAULT_KINDS.map((kind) => [kind, faults.filter((fault) => fault.kind === kind).length]),
  );
}

function sum<K extends string>(rounds: ReadonlyArray<Readonly<Record<K, number>>>, name: K): number {
  return rounds.reduce((total, round) => total + round[name], 0);
}

/** All that is known of them; the workers end first, to have said all. */
async function tellProblems(setup: Setup, problems: readonly string[], story: string): Promise<void> {
  await closeSetup(setup);
  process.stderr.write(`${[...problems, story, ...setup.lives].join('\n')}\n`);
}

/** The workers end as they are told. */
async function closeSetup(setup: Setup): Promise<void> {
  setup.isClosing = true;
  const workers = [...setup.commands.values()].filter(({ name }) => name !== 'run');
  await Promise.all(workers.map((worker) => worker.strike('SIGTERM')));
  await Promise.all(workers.map(({ over }) => over));
}
