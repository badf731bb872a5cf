import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { expect, onTestFinished, test } from 'vitest';
import type { Summary } from '../../src/runs/report/summary.ts';
import { createJob, type Flow } from '../support/flow.ts';
import { summaryFrom } from '../support/run-control.ts';
import { until } from '../support/until.ts';
import { allOf, testsOf } from './support/all-of.ts';
import { prepareCrew } from './support/crew.ts';
import { killLoop } from './support/killing.ts';
import {
  groupProblems,
  type KindEvidence,
  referenceProblems,
  upsertProblems,
} from './support/kinds-untruths.ts';
import { createDice, SEED, shareOf } from './support/seed.ts';
import { LONG, SLOWNESS, secondsSince, TIMEOUT_MS, TIMES, takeOverSeconds } from './support/times.ts';
import { assertTruth, duplicateProblems } from './support/truth.ts';

/**
 * `create`: each row is one create; `apart`: the same with a home for each, and a Redis between them; `four`: four in one home, and one of
 * another home was killed before. `group`: rows of one key are
 * one request. `reference`: rows refer to others of the file. `upsert`: most keys are known. `rerun`: rows that failed, now at a
 * rate: they are in doubt where they were sent, and only there.
 */
const KINDS = ['create', 'apart', 'four', 'group', 'reference', 'upsert', 'rerun'] as const;
type Kind = (typeof KINDS)[number];
/** Those that differ by their processes alone are killed in the long part. */
const SMOKE: readonly Kind[] = KINDS.filter((kind) => kind !== 'apart' && kind !== 'four');

const [ROWS, KILLS] = LONG ? [shareOf(2_400), shareOf(20)] : [240, 2];
/** Rows and kills in the long part: 0 doubles in 300 kills bound the chance of one per kill below 1 % (95 %). */
const OFTEN = {
  create: [shareOf(60_000), shareOf(300)],
  apart: [shareOf(20_000), shareOf(100)],
  four: [shareOf(20_000), shareOf(50)],
} as const;
const isOften = (kind: Kind): kind is keyof typeof OFTEN => Object.hasOwn(OFTEN, kind);
/** A victim dies after 1 to this many requests. */
const REQUESTS_MAX = LONG ? 60 : 20;
/** A kill comes at the latest a second after the last one: at that latency two processes don't send so many rows meanwhile. */
const LATENCY_MS = LONG ? 100 : 250;

test.each(testsOf(LONG ? KINDS : SMOKE))(
  `$names: one of two workers is killed again and again: nothing twice, lost or torn (seed ${SEED})`,
  async ({ all }) => {
    await allOf(all, killKind);
  },
  TIMEOUT_MS,
);

type Ground = Awaited<ReturnType<typeof prepareCrew>>;

/** What a kind needs: the command that is killed, and what must be true when it has ended. */
type Prepared = {
  readonly command: readonly string[];
  readonly judge: (summary: Summary, evidence: KindEvidence) => Promise<unknown> | unknown;
};

const PREPARE: Readonly<Record<Kind, (ground: Ground, kills: number) => Promise<Prepared>>> = {
  create: prepareCreate,
  apart: prepareCreate,
  four: prepareCreate,
  group: prepareGroup,
  reference: prepareReference,
  upsert: prepareUpsert,
  rerun: prepareRerun,
};

/** One of two processes dies again and again, by SIGKILL, while rows go; whom it leaves goes on soon. */
async function killKind(kind: Kind): Promise<void> {
  const [rows, kills] = LONG && isOften(kind) ? OFTEN[kind] : [kind === 'four' ? 2 * ROWS : ROWS, KILLS];
  const homes = kind === 'apart' ? 'each' : 'one';
  const four = kind === 'four' ? ({ redis: 'url', workers: 3 } as const) : {};
  const ground = await prepareCrew({ rows, homes, ...four, sandbox: { recordRequests: 4 * ROWS } });
  const { flow } = ground;
  // One more is killed elsewhere.
  const { command, judge } = await PREPARE[kind](ground, kind === 'four' ? kills + 1 : kills);
  flow.sandbox.setFaults([`latency=${LATENCY_MS}ms±${LATENCY_MS}ms`]);
  const workers = Array.from({ length: four.workers ?? 1 }, () => ['work']);
  const { members, finished } = await ground.start([[...command, '--json'], ...workers]);
  if (kind === 'four') await killElsewhere(flow);
  const standstillSeconds = watchStandstill(flow);
  const loop = { victims: members, over: finished, requestsMax: REQUESTS_MAX, dice: createDice(SEED) };
  const done = await killLoop({ ...loop, kills });
  // What is left only has to come to an end.
  flow.sandbox.setFaults(['latency=20ms']);
  const { summary } = await finished;
  const stood = standstillSeconds();
  process.stderr.write(`kill-kinds ${kind} ${JSON.stringify({ done, stood, ...summary.outcomes })}\n`);
  expect(done, 'the run ended before all kills were done').toBe(kills);
  expect(stood, 'nobody sent anything').toBeLessThanOrEqual(takeOverSeconds(TIMES));
  expect(summary).toMatchObject({ state: 'finished', rows, controlTotal: { holds: true } });
  expect(duplicateProblems(flow.sandbox.stats())).toEqual([]);
  await judge(summary, {
    results: await flow.results(summary),
    made: [...flow.sandbox.entities(kind === 'group' ? 'draft' : 'subclient', 0)],
    requests: flow.sandbox.requests(),
  });
}

/** A worker of another home, which nobody comes to any more. */
async function killElsewhere(flow: Flow): Promise<void> {
  const worker = flow.start(['work'], { ONBOARD_HOME: join(flow.home, 'elsewhere') });
  await until(() => (flow.sandbox.stats().tokens.at(-1)?.requests ?? 0) > 0);
  worker.child.kill('SIGKILL');
  await worker.ended;
}

const LOOK_MS = 20;

/** Answers what tells, at the end, the longest time between two requests that the service received. */
function watchStandstill({ sandbox }: Flow): () => number {
  let [seen, since, longest] = [0, performance.now(), 0];
  const look = () => {
    const now = sandbox.stats().tokens.reduce((sum, { requests }) => sum + requests, 0);
    if (now === seen) return;
    if (seen > 0) longest = Math.max(longest, secondsSince(since));
    [seen, since] = [now, performance.now()];
  };
  const timer = setInterval(look, LOOK_MS);
  onTestFinished(() => clearInterval(timer));
  return () => longest;
}

const CONCURRENCY = 10;
const SEND = `concurrency: ${CONCURRENCY}`;
const NUMBERS = Array.from({ length: ROWS }, (_, i) => i + 1);

async function prepareCreate({ flow, file, keys }: Ground, kills: number): Promise<Prepared> {
  return {
    command: ['run', '--job-file', await flow.file('job.yaml', createJob(SEND)), file],
    async judge(summary) {
      await assertTruth({ sandbox: flow.sandbox, home: flow.home, summary, keys });
      // Rows whose answers are being recorded have given their places to the next, and some are ready for theirs.
      const inFlight = 1.5 * CONCURRENCY;
      expect(summary.outcomes['in-doubt']).toBeLessThanOrEqual(inFlight * kills);
    },
  };
}

/** Payees with one, two and three accounts. */
async function prepareGroup({ flow }: Ground): Promise<Prepared> {
  const accounts = new Map<string, string[]>();
  const lines = NUMBERS.map((row) => {
    // Of six rows the first is a payee, the next two are one, and the last three.
    const inSix = (row - 1) % 6;
    const payee = `P${Math.floor((row - 1) / 6)}-${inSix === 0 ? 1 : inSix < 3 ? 2 : 3}`;
    accounts.set(payee, [...(accounts.get(payee) ?? []), `A${row}`]);
    return `${payee},A${row}`;
  });
  const file = await flow.file('payees.csv', ['Payee,Account', ...lines, ''].join('\n'));
  const job = [
    'operation: counterparty.draft',
    'key: Payee',
    'group: accounts',
    `send: { ${SEND} }`,
    'fields:',
    '  name: Payee',
    '  accounts.0.accountNumber: Account',
  ];
  return {
    command: ['run', '--job-file', await flow.file('job.yaml', job.join('\n')), file],
    judge(_, evidence) {
      expect(groupProblems(evidence, accounts)).toEqual([]);
    },
  };
}

/** Every third row refers to the one before it. */
async function prepareReference({ flow, keys }: Ground): Promise<Prepared> {
  const parents = new Map(NUMBERS.flatMap((row) => (row % 3 === 0 ? [[`K${row}`, `K${row - 1}`]] : [])));
  const lines = NUMBERS.map((row) => `K${row},Company ${row} Ltd,${parents.get(`K${row}`) ?? ''}`);
  const file = await flow.file('rows.csv', ['externalId,details.name,Parent', ...lines, ''].join('\n'));
  const job = createJob(SEND).replace(
    'externalId }',
    'externalId, parent.id: { column: Parent, ref: subclient } }',
  );
  return {
    command: ['run', '--job-file', await flow.file('job.yaml', job), file],
    async judge(summary, evidence) {
      await assertTruth({ sandbox: flow.sandbox, home: flow.home, summary, keys });
      expect(referenceProblems(evidence, parents)).toEqual([]);
    },
  };
}

/** Of every four records three are known; of those one has its name still. */
async function prepareUpsert({ flow }: Ground): Promise<Prepared> {
  const known = NUMBERS.filter((row) => row % 4 !== 0);
  const names = new Map(
    NUMBERS.map((row) => [`K${row}`, row % 4 === 1 ? `Company ${row} Ltd` : `Firm ${row}`]),
  );
  const before = known.map((row) => `K${row},Company ${row} Ltd`);
  const header = 'externalId,details.name';
  const first = await flow.file('before.csv', [header, ...before, ''].join('\n'));
  const job = createJob(SEND).replace('.create', '.upsert');
  const args = ['run', '--job-file', await flow.file('job.yaml', job)];
  const made = await summaryFrom(flow, [...args, first]);
  expect(made.summary.outcomes.created).toBe(known.length);
  const lines = [...names].map((cells) => cells.join());
  const file = await flow.file('after.csv', [header, ...lines, ''].join('\n'));
  return {
    command: [...args, file],
    judge({ outcomes }, evidence) {
      expect(upsertProblems(evidence, names)).toEqual([]);
      const { created, updated, skipped, 'in-doubt': inDoubt } = outcomes;
      expect(created + updated + skipped + inDoubt).toBe(ROWS);
      expect(updated).toBeGreaterThanOrEqual(known.length / 3);
    },
  };
}

/** Requests per second. */
const RATE = 30;
/** How long an intent takes to be written, to Redis and to the disk, on a machine that is busy with the kinds beside. */
const INTENT_SECONDS = 0.05 * SLOWNESS;

/**
 * The rows of a run that the service has refused, all of them, at a rate. A row's turn comes before its intent: a worker that dies leaves
 * none behind that has not gone, but what it was just writing.
 */
async function prepareRerun({ flow, file, keys }: Ground): Promise<Prepared> {
  flow.sandbox.setFaults(['404=always']);
  const job = await flow.file('job.yaml', `${createJob(SEND)}stopAfter: 100%\n`);
  const parent = await summaryFrom(flow, ['run', '--job-file', job, file]);
  expect(parent.summary.outcomes.failed).toBe(ROWS);
  const atRate = await flow.file('job.yaml', createJob(`${SEND}, rate: ${RATE}/s`));
  return {
    command: ['rerun', parent.summary.run, '--job-file', atRate],
    async judge(summary, { results, requests }) {
      await assertTruth({ sandbox: flow.sandbox, home: flow.home, summary, keys });
      expect(summary.outcomes.created + summary.outcomes['in-doubt']).toBe(ROWS);
      const received = requests.slice(ROWS).map(({ body }) => body);
      const unsent = results.filter(
        ({ outcome, key }) =>
          outcome === 'in-doubt' && !received.some((body) => body.includes(`"crmId":"${key}"`)),
      );
      const most = KILLS * Math.ceil(RATE * INTENT_SECONDS);
      expect(unsent.length, 'in doubt, and never sent').toBeLessThanOrEqual(most);
    },
  };
}
