import { expect } from 'vitest';
import type { Summary } from '../../../src/report/summary.ts';
import { createJob, type Flow, keysOf, startFlow, subclientsCsv, withSummary } from '../../support/flow.ts';
import { summaryFrom } from '../../support/run-control.ts';
import { killedPair, PAIR_TOKENS } from '../support/killing.ts';
import {
  groupProblems,
  type KindEvidence,
  referenceProblems,
  upsertProblems,
} from '../support/kinds-untruths.ts';
import { createDice } from '../support/seed.ts';
import { SLOWNESS, TIMES } from '../support/times.ts';
import { assertTruth, duplicateProblems } from '../support/truth.ts';

/**
 * `group`: rows of one key are one request. `reference`: rows refer to others of the file. `upsert`: most keys are known.
 * `rerun`: rows that failed, now at a rate: they are in doubt where they were sent, and only there.
 */
export const KINDS = ['group', 'reference', 'upsert', 'rerun'] as const;
export type Kind = (typeof KINDS)[number];

export type KillKindsOptions = {
  readonly kind: Kind;
  readonly rows: number;
  readonly kills: number;
  /** A victim dies after 1 to this many requests. */
  readonly requestsMax: number;
  /** The service's mean answering time; each answer takes 0 to twice as long. */
  readonly latencyMs: number;
  readonly seed: number;
};

/** What a kind needs: the command that is killed, and what must be true when it has ended. */
type Prepared = {
  readonly command: readonly string[];
  readonly judge: (summary: Summary, evidence: KindEvidence) => Promise<unknown> | unknown;
};

const PREPARE: Readonly<Record<Kind, (flow: Flow, options: KillKindsOptions) => Promise<Prepared>>> = {
  group: prepareGroup,
  reference: prepareReference,
  upsert: prepareUpsert,
  rerun: prepareRerun,
};

/** One of two processes dies again and again while rows go that are more than a create of their own: nothing twice, nothing lost, nothing torn. */
export async function killKinds(options: KillKindsOptions) {
  const { kind, rows, kills, requestsMax, latencyMs, seed } = options;
  const flow = await startFlow({ times: TIMES, tokens: PAIR_TOKENS, recordRequests: 4 * rows });
  const { command, judge } = await PREPARE[kind](flow, options);
  flow.sandbox.setFaults([`latency=${latencyMs}ms±${latencyMs}ms`]);
  const done = await killedPair({
    flow,
    commands: [[...command, '--json'], ['work']],
    kills,
    requestsMax,
    dice: createDice(seed),
  });
  const [ended] = done.ended;
  if (ended === undefined) throw new Error('the run has no end');
  const summary = withSummary(ended).summary;
  const { outcomes } = summary;
  process.stderr.write(`kill-kinds ${JSON.stringify({ ...options, outcomes })}\n`);
  expect(done.kills, 'the run ended before all kills were done').toHaveLength(kills);
  expect(summary).toMatchObject({ state: 'finished', rows, controlTotal: { holds: true } });
  expect(duplicateProblems(flow.sandbox.stats())).toEqual([]);
  await judge(summary, {
    results: await flow.results(summary),
    made: [...flow.sandbox.entities(kind === 'group' ? 'draft' : 'subclient', 0)],
    requests: flow.sandbox.requests(),
  });
  return { kills: done.kills.length, outcomes };
}

const SEND = 'concurrency: 10';
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

/** Payees with one, two and three accounts. */
async function prepareGroup(flow: Flow, { rows }: KillKindsOptions): Promise<Prepared> {
  const accounts = new Map<string, string[]>();
  const lines = numbers(rows).map((row) => {
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
async function prepareReference(flow: Flow, { rows }: KillKindsOptions): Promise<Prepared> {
  const parents = new Map(
    numbers(rows).flatMap((row) => (row % 3 === 0 ? [[`K${row}`, `K${row - 1}`]] : [])),
  );
  const lines = numbers(rows).map((row) => `K${row},Company ${row} Ltd,${parents.get(`K${row}`) ?? ''}`);
  const file = await flow.file('rows.csv', ['externalId,details.name,Parent', ...lines, ''].join('\n'));
  const job = createJob(SEND).replace(
    'externalId }',
    'externalId, parent.id: { column: Parent, ref: subclient } }',
  );
  return {
    command: ['run', '--job-file', await flow.file('job.yaml', job), file],
    async judge(summary, evidence) {
      const keys = keysOf(rows);
      await assertTruth({ sandbox: flow.sandbox, home: flow.home, summary, keys });
      expect(referenceProblems(evidence, parents)).toEqual([]);
    },
  };
}

/** Of every four records three are known; of those one has its name still. */
async function prepareUpsert(flow: Flow, { rows }: KillKindsOptions): Promise<Prepared> {
  const known = numbers(rows).filter((row) => row % 4 !== 0);
  const names = new Map(
    numbers(rows).map((row) => [`K${row}`, row % 4 === 1 ? `Company ${row} Ltd` : `Firm ${row}`]),
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
      expect(created + updated + skipped + inDoubt).toBe(rows);
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
async function prepareRerun(flow: Flow, { rows, kills }: KillKindsOptions): Promise<Prepared> {
  flow.sandbox.setFaults(['404=always']);
  const file = await flow.file('rows.csv', subclientsCsv(rows));
  const job = await flow.file('job.yaml', createJob(SEND));
  const parent = await summaryFrom(flow, ['run', '--job-file', job, file]);
  expect(parent.summary.outcomes.failed).toBe(rows);
  const atRate = await flow.file('job.yaml', createJob(`${SEND}, rate: ${RATE}/s`));
  return {
    command: ['rerun', parent.summary.run, '--job-file', atRate],
    async judge(summary, { results, requests }) {
      const keys = keysOf(rows);
      await assertTruth({ sandbox: flow.sandbox, home: flow.home, summary, keys });
      expect(summary.outcomes.created + summary.outcomes['in-doubt']).toBe(rows);
      const received = requests.slice(rows).map(({ body }) => body);
      const unsent = results.filter(
        ({ outcome, key }) =>
          outcome === 'in-doubt' && !received.some((body) => body.includes(`"crmId":"${key}"`)),
      );
      const most = kills * Math.ceil(RATE * INTENT_SECONDS);
      expect(unsent.length, 'in doubt, and never sent').toBeLessThanOrEqual(most);
    },
  };
}
