/**
 * What the benchmark measures. Each measurement starts what it needs, does its rounds, and answers
 * its figures with one value for each round. Where programs are compared all of them run in every
 * round, each round beginning with another one: what drifts meanwhile drifts for all.
 */
import { join } from 'node:path';
import { sleep } from '../src/lib/waiting.ts';
import {
  type Bench,
  CONCURRENCY,
  createdAll,
  didAll,
  type Outside,
  startCheck,
  startPeer,
  startPreview,
  startRun,
  startWorkers,
  watchToEnd,
} from './bench.ts';
import { memoryPeak, type Spent, type Standing, startMeter } from './cpu.ts';
import type { Ended, Started } from './processes.ts';
import { DELAY_MS, type Server, startFastService, startOwnService, startRedis } from './servers.ts';

/** One line of the table: a value for each round. */
export type Figure = {
  readonly title: string;
  /** `%`: a share of 1; `×`: a ratio. */
  readonly unit: '%' | '×' | 'MB' | 'µs' | 'ms' | '';
  /** What DESIGN.md asks for, where it does. */
  readonly target?: string;
  readonly values: readonly number[];
  /** The greatest share of the machine, 0 to 1, that others used in each round. */
  readonly others: readonly number[];
};

export const MEASUREMENTS = {
  peers: measurePeers,
  'slow-service': measureOnSlowService,
  workers: measureWorkers,
  million: measureMillion,
  waiting: measureWaiting,
} as const;
export type MeasurementId = keyof typeof MEASUREMENTS;

/** One run of one program: rows over the seconds from its start to its exit, and CPU a row. */
type Run = {
  readonly rowsPerSecond: number;
  readonly memoryMB: number;
  readonly micros: Spent['micros'];
  readonly others: number;
};

type Program = {
  start(bench: Bench, rows: number, outside: Outside): Promise<Started>;
  /** Throws when it did not do all rows. */
  check(ended: Ended, rows: number): unknown;
};

const ONBOARD: Program = { start: startRun, check: createdAll };

/** The file is there before the clock runs; `standing`: the servers that the program talks to. */
async function runOnce(
  bench: Bench,
  what: string,
  program: Program,
  {
    rows,
    outside,
    standing,
  }: { readonly rows: number; readonly outside: Outside; readonly standing: Standing },
): Promise<Run> {
  await bench.rowsFile(rows);
  const meter = await startMeter(standing);
  const started = await program.start(bench, rows, outside);
  const memoryMB = await memoryUntilEnd(started);
  const ended = await started.ended;
  const { micros, others } = await meter();
  program.check(ended, rows);
  const perRow = Object.fromEntries(Object.entries(micros).map(([name, all]) => [name, all / rows]));
  const run = { rowsPerSecond: rows / ended.seconds, memoryMB, micros: perRow, others };
  bench.tell(`  ${what}: ${textOf(run)}`);
  return run;
}

function textOf({ rowsPerSecond, memoryMB, micros, others }: Run): string {
  const parts = Object.entries(micros).map(([name, value]) => `${name} ${value.toFixed(0)}`);
  const share = (others * 100).toFixed(1);
  return `${rowsPerSecond.toFixed(0)} rows/s; µs a row: ${parts.join(', ')}; ${memoryMB.toFixed(0)} MB; others ${share} %`;
}

/** With a Redis of its own. */
async function runWithRedis(
  bench: Bench,
  what: string,
  program: Program,
  { rows, service }: { readonly rows: number; readonly service: Server },
): Promise<Run> {
  const redis = await startRedis(bench);
  const run = await runOnce(bench, what, program, {
    rows,
    outside: { serviceUrl: service.url, redisUrl: redis.url },
    standing: { Redis: [redis.pid], Service: [service.pid] },
  });
  await redis.stop();
  return run;
}

function peer(name: string): Program {
  return {
    start: (bench, rows, { serviceUrl, redisUrl }) => startPeer(bench, name, rows, [serviceUrl, redisUrl]),
    check: didAll,
  };
}

const PROGRAMS = [
  ['onboard run', ONBOARD],
  ['bare loop', peer('bare-loop')],
  ['fetch script', peer('fetch-script')],
  ['one job per row', peer('job-per-row')],
] as const;

/** The program beside a bare loop, the script that one would write, and the obvious program. */
async function measurePeers(bench: Bench): Promise<readonly Figure[]> {
  const { rows, rounds } = bench.sizes;
  const service = await startFastService(bench);
  const runs = new Map<string, Run[]>(PROGRAMS.map(([what]) => [what, []]));
  for (const [what, program] of inTurns(rounds, PROGRAMS))
    runs.get(what)?.push(await runWithRedis(bench, what, program, { rows, service }));
  await service.stop();
  const [ours = [], loop = [], script = [], jobs = []] = runs.values();
  return [
    {
      ...ratio('CPU a row, all processes, over the bare loop’s', '≤ 2.4', ours, loop),
      values: ours.map((run, round) => cpuOf(run) / cpuOf(loop[round] ?? run)),
    },
    ratio('rows/s over the bare loop', '≥ 0.46', ours, loop),
    ratio('rows/s over the `fetch` script', '≥ 2.2', ours, script),
    ratio('rows/s over one BullMQ job per row', '≥ 2.0', ours, jobs),
    ...[...runs].flatMap(([what, all]) => numbersOf(what, all)),
  ];
}

/** One after the other in every round, each round beginning with the next one. */
function inTurns<T>(rounds: number, all: readonly T[]): readonly T[] {
  return Array.from({ length: rounds }, (_, round) => {
    const first = round % all.length;
    return [...all.slice(first), ...all.slice(0, first)];
  }).flat();
}

/** Rows per second of ours over theirs, round by round. */
function ratio(title: string, target: string, ours: readonly Run[], theirs: readonly Run[]): Figure {
  const pairs = ours.map((run, round) => [run, theirs[round] ?? run] as const);
  return {
    title,
    unit: '×',
    target,
    values: pairs.map(([run, other]) => run.rowsPerSecond / other.rowsPerSecond),
    others: pairs.map(([run, other]) => Math.max(run.others, other.others)),
  };
}

function numbersOf(what: string, runs: readonly Run[]): readonly Figure[] {
  const others = runs.map((run) => run.others);
  const parts = Object.keys(runs[0]?.micros ?? {});
  return [
    { title: `${what}: rows/s`, unit: '', values: runs.map((run) => run.rowsPerSecond), others },
    ...parts.map((part): Figure => {
      const values = runs.map(({ micros }) => micros[part] ?? 0);
      return { title: `${what}: CPU a row, ${part.toLowerCase()}`, unit: 'µs', values, others };
    }),
  ];
}

function cpuOf({ micros }: Run): number {
  return micros.All ?? 0;
}

/**
 * From the service's first request to its last answer, so that the program's start is no part of
 * it.
 */
async function measureOnSlowService(bench: Bench): Promise<readonly Figure[]> {
  const { rounds, slowRows: rows } = bench.sizes;
  const values: number[] = [];
  const others: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const service = await startOwnService(bench);
    const run = await runWithRedis(bench, 'onboard run', ONBOARD, { rows, service });
    const { rate, heldMeanMs } = await service.numbers();
    await service.stop();
    bench.tell(`  ${rate.toFixed(0)} rows/s, answers held for ${heldMeanMs.toFixed(2)} ms`);
    values.push((rate * heldMeanMs) / (CONCURRENCY * 1000));
    others.push(run.others);
  }
  const title = `service of ${DELAY_MS} ms, ${CONCURRENCY} in flight: share of the possible rate`;
  return [{ title, unit: '%', target: '≥ 98 %', values, others }];
}

/** Worker processes on the slow service, each with as many requests in flight. */
async function measureWorkers(bench: Bench): Promise<readonly Figure[]> {
  const rates = new Map<number, Run[]>([1, 2, 4].map((count) => [count, []]));
  for (const count of inTurns(bench.sizes.rounds, [...rates.keys()]))
    rates.get(count)?.push(await rateOfWorkers(bench, count));
  const [one = [], two = [], four = []] = rates.values();
  return [
    ratio('2 `onboard work` on that service, over one', '≥ 1.95', two, one),
    ratio('4 `onboard work` on that service, over one', '≥ 3.6', four, one),
    ...[...rates].flatMap(([count, runs]) => numbersOf(`${count} onboard work`, runs)),
  ];
}

/**
 * They have sent a file of its own before, and the rate is that of the run's middle: no start is in
 * it.
 */
async function rateOfWorkers(bench: Bench, count: number): Promise<Run> {
  const { rowsPerWorker, warmRows } = bench.sizes;
  const rows = rowsPerWorker * count;
  const file = await bench.rowsFile(rows);
  const redis = await startRedis(bench);
  const service = await startOwnService(bench);
  const outside = { serviceUrl: service.url, redisUrl: redis.url };
  const workers = await startWorkers(bench, count, outside);
  await watchToEnd(bench, await bench.rowsFile(warmRows * count, 'WARM'), outside);
  await service.forget();
  const meter = await startMeter({
    Workers: workers.map(({ pid }) => pid),
    Redis: [redis.pid],
    Service: [service.pid],
  });
  await watchToEnd(bench, file, outside);
  const { micros, others } = await meter();
  const { middleRate } = await service.numbers();
  for (const process of [...workers, service, redis]) await process.stop();
  const perRow = Object.fromEntries(Object.entries(micros).map(([name, all]) => [name, all / rows]));
  const run = { rowsPerSecond: middleRate, memoryMB: 0, micros: perRow, others };
  bench.tell(`  ${count}: ${textOf(run)}`);
  return run;
}

type LongRun = {
  readonly microsPerRow: number;
  readonly processMB: number;
  readonly redisMB: number;
  readonly others: number;
};

/** Memory of a run of a million rows, and its time per row against that of a small file. */
async function measureMillion(bench: Bench): Promise<readonly Figure[]> {
  const { rounds, longRows, shortRows } = bench.sizes;
  const service = await startFastService(bench);
  const long: LongRun[] = [];
  const short: LongRun[] = [];
  for (let round = 0; round < rounds; round += 1) {
    short.push(await longRun(bench, service, shortRows));
    long.push(await longRun(bench, service, longRows));
  }
  await service.stop();
  const others = long.map((run, round) => Math.max(run.others, short[round]?.others ?? 0));
  const name = `${longRows.toLocaleString('en')} rows`;
  return [
    {
      title: `${name}: peak memory of the process`,
      unit: 'MB',
      target: '≤ 200 MB',
      values: long.map(({ processMB }) => processMB),
      others,
    },
    {
      title: `${name}: peak memory of Redis`,
      unit: 'MB',
      target: '≤ 160 MB',
      values: long.map(({ redisMB }) => redisMB),
      others,
    },
    {
      title: `time per row at ${name}, over that at ${shortRows.toLocaleString('en')}`,
      unit: '×',
      target: '≤ 1.1',
      values: long.map(
        ({ microsPerRow }, round) => microsPerRow / (short[round]?.microsPerRow ?? Number.NaN),
      ),
      others,
    },
  ];
}

async function longRun(bench: Bench, service: Server, rows: number): Promise<LongRun> {
  await bench.rowsFile(rows);
  const redis = await startRedis(bench);
  const meter = await startMeter({ Redis: [redis.pid], Service: [service.pid] });
  const run = await startRun(bench, rows, { serviceUrl: service.url, redisUrl: redis.url });
  const processMB = await memoryUntilEnd(run);
  const { others } = await meter();
  const redisMB = await memoryPeak(redis.pid);
  await redis.stop();
  const { startedAt, finishedAt } = createdAll(await run.ended, rows);
  const ms = Date.parse(finishedAt ?? '') - Date.parse(startedAt ?? '');
  const numbers = { microsPerRow: (ms * 1000) / rows, processMB, redisMB, others };
  bench.tell(`  ${rows} rows: ${JSON.stringify(numbers)}`);
  return numbers;
}

/** Often enough: what is read is the most that there ever was. */
const LOOK_MS = 200;

async function memoryUntilEnd({ pid, ended }: Started): Promise<number> {
  const over = ended.then(() => true);
  let peak = 0;
  while (!(await Promise.race([over, sleep(LOOK_MS).then(() => false)])))
    peak = Math.max(peak, await memoryPeak(pid));
  return peak;
}

/** Neither a service nor a Redis. */
const NOWHERE: Outside = { serviceUrl: 'http://127.0.0.1:9', redisUrl: 'redis://127.0.0.1:9' };

/** What people wait for before anything is sent, against csv-parse alone. */
async function measureWaiting(bench: Bench): Promise<readonly Figure[]> {
  const { waitingRows: rows, rounds } = bench.sizes;
  const { redis, outside } = await ledgerOf(bench, rows);
  const alone = { rows, outside: NOWHERE, standing: {} };
  const checks = [
    ['csv-parse alone', peer('csv-objects'), alone],
    ['check', { start: startCheck, check: didAll }, alone],
    ['check with a plan', PLANNED, { rows, outside, standing: { Redis: [redis.pid] } }],
  ] as const satisfies ReadonlyArray<readonly [string, Program, Parameters<typeof runOnce>[3]]>;
  const runs = new Map<string, Run[]>(checks.map(([what]) => [what, []]));
  const previews: Run[] = [];
  for (const [what, program, where] of inTurns(rounds, checks)) {
    runs.get(what)?.push(await runOnce(bench, what, program, where));
    if (what === 'csv-parse alone') previews.push(await firstRows(bench, rows));
  }
  await redis.stop();
  const [csv = [], check = [], planned = []] = runs.values();
  const name = `${rows.toLocaleString('en')} rows`;
  return [
    ...waitingFigures(`\`check\` of ${name}, no ledger`, csv, check, ['≤ 1.5', '≤ 200 MB']),
    ...waitingFigures('the same, all keys known, with the plan', csv, planned, ['≤ 2.5', '']),
    {
      title: `\`preview\` of ${name}: to its first rows`,
      unit: 'ms',
      target: '≤ 600 ms',
      values: previews.map(({ rowsPerSecond }) => 1000 / rowsPerSecond),
      others: previews.map(({ others }) => others),
    },
    ...[...runs].flatMap(([what, all]) => numbersOf(what, all)),
  ];
}

const PLANNED: Program = {
  start: async (bench, rows, outside) =>
    startCheck(bench, rows, outside, ['--out', join(await bench.folder('plan'), 'plan.json')]),
  check: didAll,
};

/** Knows all keys of the file of so many rows, from another that has one row more. */
async function ledgerOf(bench: Bench, rows: number) {
  const [redis, service] = [await startRedis(bench), await startFastService(bench)];
  const outside = { serviceUrl: service.url, redisUrl: redis.url };
  bench.tell(`  making ${rows} keys known`);
  createdAll(await (await startRun(bench, rows + 1, outside)).ended, rows + 1);
  await service.stop();
  return { redis, outside };
}

/** As a run of one row: from the start to when the first row stands there. */
async function firstRows(bench: Bench, rows: number): Promise<Run> {
  const file = await bench.rowsFile(rows);
  const meter = await startMeter();
  const from = performance.now();
  const preview = await startPreview(bench, file, NOWHERE);
  await preview.said(FIRST_KEY);
  const seconds = (performance.now() - from) / 1000;
  await preview.stop();
  return { rowsPerSecond: 1 / seconds, memoryMB: 0, ...(await meter()) };
}

const FIRST_KEY = 'LARGE-00001';

function waitingFigures(
  title: string,
  csv: readonly Run[],
  ours: readonly Run[],
  [times, memory]: readonly [string, string],
): readonly Figure[] {
  const wall = ratio(`${title}: time over csv-parse alone’s`, times, csv, ours);
  return [
    wall,
    {
      ...wall,
      title: `${title}: CPU over csv-parse alone’s`,
      values: ours.map(({ micros }, round) => (micros.Program ?? 0) / cpuOf(csv[round] ?? NO_RUN)),
    },
    {
      ...wall,
      title: `${title}: peak memory of the process`,
      unit: 'MB',
      target: memory,
      values: ours.map(({ memoryMB }) => memoryMB),
    },
  ];
}

const NO_RUN: Run = { rowsPerSecond: 0, memoryMB: 0, micros: {}, others: 0 };
