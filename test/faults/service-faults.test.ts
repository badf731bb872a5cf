import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type Flow, keysOf, startFlow } from '../support/flow.ts';
import { ownFolder } from '../support/folder.ts';
import { allOf, testsOf } from './support/all-of.ts';
import { SEED } from './support/seed.ts';
import { LONG, TIMEOUT_MS } from './support/times.ts';
import { assertTruth } from './support/truth.ts';

/** The columns of the key and of the name, what goes along, and how a row ends. */
const OPERATIONS = {
  'subclient.create': {
    key: 'externalId',
    name: 'details.name',
    field: 'additionalInformation.crmId: externalId',
    done: 'created',
  },
  'counterparty.draft': { key: 'externalId', name: 'name', field: 'alias: externalId', done: 'drafted' },
  'subclient.update': { key: 'id', name: 'details.name', field: '', done: 'updated' },
} as const;
const PREFIX = 'known-';

type Load = {
  readonly operation: keyof typeof OPERATIONS;
  readonly rows: number;
  readonly concurrency: number;
};

const LOADS: readonly Load[] = LONG
  ? [
      { operation: 'subclient.create', rows: 10_000, concurrency: 200 },
      { operation: 'counterparty.draft', rows: 10_000, concurrency: 200 },
      { operation: 'subclient.update', rows: 10_000, concurrency: 200 },
      { operation: 'subclient.create', rows: 10_000, concurrency: 50 },
    ]
  : [
      { operation: 'subclient.create', rows: 600, concurrency: 150 },
      { operation: 'counterparty.draft', rows: 300, concurrency: 150 },
      { operation: 'subclient.update', rows: 300, concurrency: 150 },
    ];

/** A hundredth each of several ways to lose an answer, beside refusals that say that nothing was done. */
const FAULTS = [
  '503-retry-after=5%;retry-after=1',
  '503=0.5%',
  '429=2.5%;retry-after=1',
  '429=2.5%;retry-after=none',
  '429-reset=1%',
  '403-retry-after=0.5%;retry-after=1',
  // What a keep-alive race is for the client: the connection ends in order, without a byte of an answer.
  'reset-before=1%',
  'reset-after-create=2%',
  'hang=1%',
  '500-after-create=1%',
  '503-after-create=0.5%',
  'cut-answer=0.5%',
  'not-json=0.5%',
  'no-id=0.5%',
];
/** After these nobody can know whether the row was made. */
const LOSING = [
  '503',
  'reset-before',
  'reset-after-create',
  'hang',
  '500-after-create',
  '503-after-create',
  'cut-answer',
  'not-json',
  'no-id',
];
/** Long enough for most answers that do come; one that comes later is lost as well, and its row says that it waited. */
const TIMEOUT_SECONDS = 4;
/** Timers fire up to a millisecond early, and count whole ones. */
const TIMER_MS = 2;
/** An update meets a fault in a fifteenth of its attempts: so many in a row don't happen. */
const ATTEMPTS = 12;

test.each(testsOf(LOADS, ({ operation, concurrency }) => `${operation}, ${concurrency} at a time`))(
  `every fault of a service at once, $names: in doubt is what was lost, all else is done (seed ${SEED})`,
  async ({ all }) => {
    await allOf(all, serviceFaults);
  },
  TIMEOUT_MS,
);

/** Each lost answer of a create is one row in doubt, and every other row is done. */
async function serviceFaults(options: Load): Promise<void> {
  const { operation } = options;
  const dataFile = await writeKnown(options);
  const flow = await startFlow({ faults: FAULTS, seed: SEED, dataFile });
  const { ended, keys } = await runAll(flow, options);
  const { exitCode, summary } = ended;
  const stats = flow.sandbox.stats();
  await assertTruth({
    sandbox: flow.sandbox,
    home: flow.home,
    summary,
    keys,
    kind: operation === 'counterparty.draft' ? 'draft' : 'subclient',
    madeBefore: operation === 'subclient.update' ? options.rows : 0,
  });
  const lost = LOSING.reduce((sum, name) => sum + (stats.faults[name] ?? 0), 0);
  const waited = (await flow.results(summary)).filter(({ code }) => code === 'timeout');
  const late = waited.length - (stats.faults.hang ?? 0);
  const inDoubt = summary.outcomes['in-doubt'];
  const told = { ...options, inDoubt, lost, late, faults: stats.faults };
  process.stderr.write(`service-faults ${JSON.stringify(told)}\n`);
  expect(lost, 'answers were lost').toBeGreaterThan(0);
  if (operation === 'subclient.update') expect(inDoubt).toBe(0);
  else {
    // What comes late on a machine that is too busy may have met a fault besides: none of it is in doubt twice.
    expect(inDoubt).toBeGreaterThanOrEqual(lost);
    expect(inDoubt).toBeLessThanOrEqual(lost + late);
    expect(waited.filter(({ ms }) => Number(ms) < 1000 * TIMEOUT_SECONDS - TIMER_MS)).toEqual([]);
  }
  expect(summary.outcomes[OPERATIONS[operation].done]).toBe(options.rows - inDoubt);
  expect(exitCode).toBe(inDoubt === 0 ? 0 : 5);
  if (operation === 'subclient.update') expect(await lastNames(dataFile)).toEqual(keys.map(nameFor));
}

async function runAll(flow: Flow, { operation, rows, concurrency }: Load) {
  const keys = keysOf(rows, PREFIX);
  const { key, name, field } = OPERATIONS[operation];
  const send = `canary: 0, concurrency: ${concurrency}, timeoutSeconds: ${TIMEOUT_SECONDS}, attempts: ${ATTEMPTS}`;
  const job = await flow.file(
    'job.yaml',
    `operation: ${operation}\nkey: ${key}\nfields: { ${field} }\nsend: { ${send} }\n`,
  );
  const lines = keys.map((each) => `${each},${nameFor(each)}`);
  const file = await flow.file('rows.csv', [`${key},${name}`, ...lines, ''].join('\n'));
  return { ended: await flow.run(['--job-file', job, file]), keys };
}

function nameFor(key: string): string {
  return `Name of ${key}`;
}

/** The sandbox's data file, with the subclients that updates are for. */
async function writeKnown({ operation, rows }: Load): Promise<string> {
  const path = join(await ownFolder(), 'made.ndjson');
  const body = { details: { name: 'Old' } };
  const known = operation === 'subclient.update' ? keysOf(rows, PREFIX) : [];
  const lines = known.map((id) => `${JSON.stringify({ kind: 'subclient', id, key: id, body })}\n`);
  await writeFile(path, lines.join(''));
  return path;
}

const madeSchema = z.object({
  id: z.string(),
  body: z.object({ details: z.object({ name: z.string() }) }).optional(),
});

/** The names that the service has now, in the order of the subclients. */
async function lastNames(dataFile: string): Promise<unknown[]> {
  const names = new Map<string, unknown>();
  for (const text of (await readFile(dataFile, 'utf8')).split('\n')) {
    if (text === '') continue;
    const { id, body } = madeSchema.parse(JSON.parse(text));
    names.set(id, body?.details.name);
  }
  return [...names.values()];
}
